/**
 * How a Go source is built so that binaries are left. Modules are fetched in their own phase, and only when
 * there are requirements; `go mod tidy` would change the pinned versions unasked and is used only where there
 * is nothing to change: no go.mod, or no go.sum beside requirements.
 */
import { quoted } from '../shell/words.ts';
import { hasFile, type PlanFacts, systemOf } from './facts.ts';
import { inModule, type PhaseDraft } from './phases.ts';

/** Where the built programs go, relative to the module. */
const outputFolder = 'bin/';

/** Programs built at most by one command. Source: seed, Go main package, and command line length. */
const mainsMax = 20;

export function goPhases(facts: PlanFacts, modulePath: string): PhaseDraft[] {
  const { goMain, dependencies } = facts;
  const found = systemOf(facts, 'go');
  const moduleDir = goMain?.moduleDir || found.moduleDir;
  const here = (command: string): string => inModule(moduleDir, command);
  const hasModule = goMain?.hasGoMod ?? true;
  const vendored = hasFile(found, 'modules.txt');
  const requires = dependencies.libraries.length > 0;
  const build = here(`go build -buildvcs=false ${buildTargets(facts)}`);
  if (!hasModule) {
    return [
      { name: 'fetch', commands: [here(`go mod init ${quoted(modulePath)} && go mod tidy`)] },
      { name: 'go_prepare_build', commands: [build] },
    ];
  }
  const fetch = hasFile(found, 'go.sum') ? 'go mod download' : 'go mod tidy';
  return [
    { name: 'fetch', commands: requires && !vendored ? [here(fetch)] : [] },
    { name: 'go_prepare_build', commands: [build] },
  ];
}

/** `-o bin/ ./cmd/a ./cmd/b` for the programs that there are, `./...` for a library. */
function buildTargets({ goMain }: PlanFacts): string {
  if (!goMain?.hasMain) return './...';
  const paths = goMain.allMainPaths.length > 0 ? goMain.allMainPaths : [goMain.mainPath];
  const moduleDir = goMain.moduleDir === '' ? '' : `${goMain.moduleDir}/`;
  const packages = [...new Set(paths.map((path) => packageOf(path, moduleDir)))].slice(0, mainsMax);
  return `-o ${outputFolder} ${packages.map(quoted).join(' ')}`;
}

/** `cmd/x/main.go`, `./cmd/x` or `cmd/x` → `./cmd/x`, relative to the module; the root is `.`. */
function packageOf(path: string, moduleDir: string): string {
  let folder = path
    .replace(/^\.\//, '')
    .replace(/(^|\/)[^/]*\.go$/, '')
    .replace(/\/$/, '');
  if (moduleDir !== '' && `${folder}/`.startsWith(moduleDir)) folder = folder.slice(moduleDir.length);
  return folder === '' || folder === '.' ? '.' : `./${folder}`;
}

/** A module path from where the source came from. */
export function goModulePath(source: string, repoName: string): string {
  const match = /^https?:\/\/(?:[^/@]*@)?([\w.-]+(?::\d+)?\/[\w./~-]+?)(?:\.git)?\/?$/.exec(source);
  return match === null ? repoName : (match[1] as string).replace(/:\d+\//, '/');
}
