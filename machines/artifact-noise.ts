/** Files that a build system makes for its own use. Source: upstream facts §10.3. */
const noise = [
  'CMakeFiles',
  '_deps',
  'conftest',
  'cmake-build-',
  'CompilerId',
  'CheckTypeSize',
  'CheckFunctionExists',
  'CheckIncludeFile',
  'TryCompile-',
  'meson-private',
  'meson-info',
  'meson-logs',
  'build-aux',
  'autom4te.cache',
];

/** True for a compiler's probe and its like: nothing that the package is about, so nothing that proves a port. */
export const isBuildSystemNoise = (path: string): boolean => noise.some((part) => path.includes(part));
