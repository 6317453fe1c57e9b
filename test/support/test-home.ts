/** The data folder of tests that build for real: they share one riscv64 root, which takes 80 s to make. */
import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `$ATESOR_TEST_HOME`, else a fixed folder for temporary files that outlives a test run. Made when missing. */
export function testHome(): string {
  const home = process.env.ATESOR_TEST_HOME ?? join(tmpdir(), 'atesor-test-home');
  mkdirSync(home, { recursive: true, mode: 0o755 });
  return home;
}

/** A data folder of a test's own, with the root and the package layers of the shared one. */
export function ownHome(name: string): string {
  const shared = testHome();
  const home = mkdtempSync(join(tmpdir(), `atesor-${name}-`));
  for (const part of ['roots', 'layers']) {
    mkdirSync(join(shared, part), { recursive: true });
    symlinkSync(join(shared, part), join(home, part));
  }
  return home;
}
