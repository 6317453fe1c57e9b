/** Folders in which no project root, target or main program is looked for. Source: upstream facts §3.2. */
const skipped = new Set([
  '.git',
  '.github',
  'contrib',
  'deps',
  'doc',
  'docs',
  'example',
  'examples',
  'external',
  'extern',
  'node_modules',
  'test',
  'testdata',
  'tests',
  'third-party',
  'third_party',
  'thirdparty',
  'vendor',
  '__pycache__',
  '.venv',
]);

export const isSkipped = (path: string): boolean => path.split('/').some((part) => skipped.has(part));

/** Folder of a path, '' at the top. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const depthOf = (folder: string): number => (folder === '' ? 0 : folder.split('/').length);
export const inFolder = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`;
