/** The data folder of tests that build for real: they share one riscv64 root, which takes 80 s to make. */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `$ATESOR_TEST_HOME`, else a fixed folder for temporary files that outlives a test run. Made when missing. */
export function testHome(): string {
  const home = process.env.ATESOR_TEST_HOME ?? join(tmpdir(), 'atesor-test-home');
  mkdirSync(home, { recursive: true, mode: 0o755 });
  return home;
}
