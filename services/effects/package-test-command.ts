/** Which command runs a package's own tests. Source: upstream facts §11. */
import { folderOf, inFolder, nameOf } from '../analysis/folders.ts';
import type { TreeReader } from '../analysis/tree-reader.ts';

export interface TestCommand {
  framework: 'ctest' | 'meson' | 'go' | 'cargo' | 'make';
  command: string;
}

const buildFolders = ['build', '_build', 'builddir'];

/**
 * The first that fits, in the order of the table; null when there are no tests. Mended: go, cargo and makefile
 * targets count only for what was built with them, since a second build system's tests test nothing built.
 */
export async function testCommandFor(
  tree: TreeReader,
  buildSystem: string,
  moduleDir: string,
): Promise<TestCommand | null> {
  const has = (path: string) => tree.find(inFolder(moduleDir, path)) !== null;
  const cmakeFolder = buildFolders.find((folder) => has(`${folder}/CTestTestfile.cmake`));
  if (cmakeFolder)
    return { framework: 'ctest', command: `ctest --test-dir ${cmakeFolder} --output-on-failure` };
  const mesonFolder = [...buildFolders, 'builddir'].find((folder) => has(`${folder}/meson-info`));
  if (mesonFolder) return { framework: 'meson', command: `meson test -C ${mesonFolder} --print-errorlogs` };
  const is = (...systems: string[]) => systems.includes(buildSystem) || buildSystem === 'unknown';
  if (is('go') && has('go.mod')) return { framework: 'go', command: 'go test ./...' };
  if (is('cargo') && has('Cargo.toml'))
    return { framework: 'cargo', command: 'cargo test --release --offline' };
  if (!is('make', 'autotools', 'perl')) return null;
  const makefile = tree.entries.find(
    ({ path }) => folderOf(path) === moduleDir && /^(GNUmakefile|[Mm]akefile)$/.test(nameOf(path)),
  );
  const text = makefile ? ((await tree.read(makefile.path, 1024 * 1024)) ?? '') : '';
  const target = ['check', 'test'].find((name) =>
    new RegExp(`^(?:[\\w.-]+ +)*${name}(?: +[\\w.-]+)* *::?(?!=)`, 'm').test(text),
  );
  return target ? { framework: 'make', command: `make ${target}` } : null;
}

/** Words of a test run that ended well because there was nothing to run. */
export function ranNothing(framework: TestCommand['framework'], output: string): boolean {
  if (framework === 'ctest') return /No tests were found/.test(output);
  if (framework === 'meson') return /No tests defined|No suitable tests defined/.test(output);
  if (framework === 'go') return /no test files/.test(output) && !/^(ok|---|FAIL)\s/m.test(output);
  if (framework === 'cargo') return /test result: ok/.test(output) && !/test result: ok\. [1-9]/.test(output);
  return /Nothing to be done for '(check|test)'/.test(output);
}
