import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type {
  BuildSystemInfo,
  BuildSystemType,
  GoMainInfo,
  PackageAnalysis,
} from '../../../events/records.ts';
import { canonicalName } from '../../../machines/package-names.ts';
import { defaultPlan, defaultPlanGates } from '../../../machines/plans/default-plan.ts';
import { noSystem, type PlanFacts } from '../../../machines/plans/facts.ts';
import { fallbackAnalysis } from '../../../machines/plans/fallback-analysis.ts';
import { fallbackPlan } from '../../../machines/plans/fallback-plan.ts';
import { goModulePath } from '../../../machines/plans/go-plan.ts';
import { setupPackages } from '../../../machines/plans/setup-packages.ts';
import { factsOf, originOf } from '../../../machines/plans/state-facts.ts';

const system = (type: BuildSystemType, more: Partial<BuildSystemInfo> = {}): BuildSystemInfo => ({
  ...noSystem,
  type,
  confidence: 0.95,
  primaryFile: 'x',
  ...more,
});

const go = (more: Partial<GoMainInfo> = {}): GoMainInfo => ({
  hasMain: true,
  mainPath: 'main.go',
  moduleDir: '',
  buildCommand: 'go build .',
  needsGoInit: false,
  hasGoMod: true,
  hasGoFiles: true,
  allMainPaths: [],
  ...more,
});

function facts(found: BuildSystemInfo, more: Partial<PlanFacts> & { libraries?: string[] } = {}): PlanFacts {
  const { libraries = [], ...rest } = more;
  return {
    buildSystem: found,
    candidates: [found],
    dependencies: {
      systemPackages: [],
      libraries,
      buildTools: [],
      riscVAvailable: {},
      installMethod: 'apt',
      versionConstraints: {},
    },
    archFindings: [],
    goMain: null,
    debianBuildDepends: [],
    expectedArtifacts: [],
    languages: {},
    ...rest,
  };
}

const origin = { source: 'https://git.example.org/a/demo.git', repoName: 'demo' };
const install = 'apt-get update && apt-get install -y --no-install-recommends';
const phasesOf = (known: PlanFacts, analysis: PackageAnalysis | null = null) =>
  (defaultPlan(known, analysis, origin)?.phases ?? []).map(({ name, commands }) => [name, commands]);
const commandsOf = (known: PlanFacts): string[] =>
  (defaultPlan(known, null, origin)?.phases ?? []).slice(1).flatMap((phase) => phase.commands);

const analysed = (more: Partial<PackageAnalysis> = {}): PackageAnalysis => ({
  ...fallbackAnalysis(facts(system('make')), 'demo'),
  llmGrounded: true,
  ...more,
});

test('cmake is configured in its own folder and built with all cores', () => {
  assert.equal(phasesOf(facts(system('cmake'))), [
    ['setup', [`${install} cmake build-essential`]],
    ['configure', ['mkdir -p build && cd build && cmake .. -DCMAKE_BUILD_TYPE=Release']],
    ['build', ['cd build && make -j$(nproc)']],
  ]);
});

test('make, autotools and meson have their usual phases', () => {
  assert.equal(commandsOf(facts(system('make'))), ['make -j$(nproc)']);
  assert.equal(commandsOf(facts(system('autotools'))), ['./configure', 'make -j$(nproc)']);
  assert.equal(commandsOf(facts(system('meson'))), [
    'meson setup builddir --buildtype=release --wrap-mode=nodownload',
    'ninja -C builddir',
  ]);
});

test('a project in a folder of the source is built there', () => {
  const inside = { moduleDir: 'src/my lib' };
  assert.equal(commandsOf(facts(system('autotools', inside))), [
    "cd 'src/my lib' && ./configure",
    "cd 'src/my lib' && make -j$(nproc)",
  ]);
  assert.equal(commandsOf(facts(system('cmake', { moduleDir: 'c' }))), [
    'cd c && mkdir -p build && cd build && cmake .. -DCMAKE_BUILD_TYPE=Release',
    'cd c && cd build && make -j$(nproc)',
  ]);
  assert.equal(commandsOf(facts(system('make', { moduleDir: '.' }))), ['make -j$(nproc)']);
});

test('a Go program without requirements is built without a network and leaves its binary', () => {
  assert.equal(phasesOf(facts(system('go'), { goMain: go() })), [
    ['setup', [`${install} golang-go`]],
    ['go_prepare_build', ['go build -buildvcs=false -o bin/ .']],
  ]);
});

test('Go requirements are downloaded in a phase of their own, pinned as they are', () => {
  const found = system('go', { additionalFiles: ['go.sum'] });
  const known = facts(found, {
    libraries: ['example.org/x'],
    goMain: go({ allMainPaths: ['cmd/a', './cmd/b/main.go', 'cmd/a'] }),
  });
  assert.equal(phasesOf(known), [
    ['setup', [`${install} golang-go git`]],
    ['fetch', ['go mod download']],
    ['go_prepare_build', ['go build -buildvcs=false -o bin/ ./cmd/a ./cmd/b']],
  ]);
});

test('requirements without go.sum are resolved, vendored ones are not fetched, no module is made one', () => {
  const libraries = ['example.org/x'];
  const fetch = (known: PlanFacts) => phasesOf(known).filter(([name]) => name === 'fetch');
  assert.equal(fetch(facts(system('go'), { libraries, goMain: go() })), [['fetch', ['go mod tidy']]]);
  const vendored = system('go', { additionalFiles: ['go.sum', 'vendor/modules.txt'] });
  assert.equal(fetch(facts(vendored, { libraries, goMain: go() })), []);
  assert.equal(fetch(facts(system('go'), { goMain: go({ hasGoMod: false }) })), [
    ['fetch', ['go mod init git.example.org/a/demo && go mod tidy']],
  ]);
});

test('a Go module in a folder is built there, a Go library as a whole', () => {
  const inside = facts(system('go', { moduleDir: 'cli' }), {
    goMain: go({ moduleDir: 'cli', mainPath: 'cli/main.go' }),
  });
  assert.equal(commandsOf(inside), ['cd cli && go build -buildvcs=false -o bin/ .']);
  assert.equal(commandsOf(facts(system('go'), { goMain: go({ hasMain: false }) })), [
    'go build -buildvcs=false ./...',
  ]);
  assert.equal(commandsOf(facts(system('go'))), ['go build -buildvcs=false ./...']);
});

test('a module path is made from the source’s address, else from the name', () => {
  assert.is(goModulePath('https://user@host.org/a/b.git', 'b'), 'host.org/a/b');
  assert.is(goModulePath('http://127.0.0.1:8080/b', 'b'), '127.0.0.1/b');
  assert.is(goModulePath('deb:jo', 'jo'), 'jo');
});

test('cargo is offline, fetches only requirements, and is locked where there is a lock file', () => {
  assert.equal(commandsOf(facts(system('cargo'))), ['cargo build --release --offline']);
  const locked = system('cargo', { additionalFiles: ['Cargo.lock'] });
  assert.equal(commandsOf(facts(locked)), ['cargo build --release --offline --locked']);
  assert.equal(commandsOf(facts(locked, { libraries: ['serde'] })), [
    'cargo fetch --locked',
    'cargo build --release --offline --locked',
  ]);
});

test('the default plan is declined for each of the seed’s reasons, which are said', () => {
  const finding = {
    file: 'a.c',
    line: 1,
    codeSnippet: '',
    archType: 'inline_asm' as const,
    suggestedFix: '',
  };
  const declined = (known: PlanFacts, analysis: PackageAnalysis | null = null): string => {
    assert.is(defaultPlan(known, analysis, origin), null);
    return defaultPlanGates(known, analysis).join('; ');
  };
  assert.match(declined(facts(system('npm'))), 'no default plan for build system npm');
  assert.match(declined(facts(system('make', { confidence: 0.3 }))), 'confidence 0.3');
  assert.match(declined(facts(system('make')), analysed({ needsCustomPlan: true })), 'custom plan');
  const findings = (severity: 'high' | 'critical', n: number) => Array(n).fill({ ...finding, severity });
  assert.match(declined(facts(system('make'), { archFindings: findings('high', 3) })), '3 high');
  assert.match(declined(facts(system('make'), { archFindings: findings('critical', 1) })), '1 critical');
  assert.equal(defaultPlanGates(facts(system('make'), { archFindings: findings('high', 2) }), null), []);
});

test('an analyst that did not read the files changes nothing, one that did may choose the system', () => {
  const known = facts(system('make', { confidence: 0.8 }));
  const custom = analysed({ needsCustomPlan: true, llmGrounded: false });
  assert.equal(defaultPlanGates(known, custom), []);
  const surer = analysed({ buildSystem: 'meson', buildSystemConfidence: 0.9 });
  assert.is(defaultPlan(known, surer, origin)?.buildSystem, 'meson');
  const lessSure = analysed({ buildSystem: 'meson', buildSystemConfidence: 0.7 });
  assert.is(defaultPlan(known, lessSure, origin)?.buildSystem, 'make');
});

test('a system that is not the detected one is built in its own folder', () => {
  const known = facts(system('make', { confidence: 0.8 }), {
    candidates: [system('make'), system('cmake', { moduleDir: 'build/cmake' })],
  });
  const plan = defaultPlan(known, analysed({ buildSystem: 'cmake', buildSystemConfidence: 0.9 }), origin);
  assert.match(plan?.phases[1]?.commands[0] ?? '', /^cd build\/cmake && mkdir -p build/);
});

test('setup installs what the map knows and what Debian’s own build needs, once', () => {
  const known = facts(system('make'), {
    libraries: ['z', 'OpenSSL', 'no-such-thing', 'constructor'],
    debianBuildDepends: ['debhelper-compat', 'zlib1g-dev', 'libpcap-dev', 'texlive-base', 'dh-autoreconf'],
  });
  assert.equal(setupPackages(['gcc'], known, { dependencies: [{ name: 'zlib', reason: '' }] }), [
    'build-essential',
    'zlib1g-dev',
    'libssl-dev',
    'libpcap-dev',
  ]);
});

test('at most 15 names of the map are taken', () => {
  const libraries =
    'zlib openssl curl lz4 zstd brotli xz bzip2 snappy libpng libjpeg libwebp libtiff expat jansson yaml'.split(
      ' ',
    );
  assert.is(setupPackages(['gcc'], facts(system('make'), { libraries }), null).length, 15);
});

test('a name is only known when the map has it', () => {
  assert.is(canonicalName('ZLIB'), 'zlib');
  assert.is(canonicalName('ssl'), 'openssl');
  assert.is(canonicalName('toString'), null);
});

test('the fallback plan is the usual way to build, with the seed’s confidence', () => {
  const plan = fallbackPlan(facts(system('go', { confidence: 0.3 }), { goMain: go() }), null, origin);
  assert.is(plan.buildSystemConfidence, 0.8);
  const auto = fallbackPlan(facts(system('autotools', { moduleDir: 'a' })), null, origin);
  assert.is(auto.buildSystemConfidence, 0.6);
  assert.match(auto.phases[1]?.commands[0] ?? '', /^cd a && if \[ -d m4 \]/);
  assert.is(auto.phases[1]?.commands[1], 'cd a && ./configure');
});

test('a source with no system is looked at and tried with make', () => {
  const plan = fallbackPlan(facts(noSystem), null, origin);
  assert.is(plan.buildSystemConfidence, 0.3);
  assert.equal(
    plan.phases.map((phase) => phase.name),
    ['setup', 'discover', 'build'],
  );
  assert.equal(
    plan.phases.map((phase) => phase.id),
    [1, 2, 3],
  );
});

test('the fallback analysis says what was detected and that no model read it', () => {
  const known = facts(system('cmake', { confidence: 0.4, primaryFile: 'CMakeLists.txt' }), {
    libraries: Array.from({ length: 12 }, (_, n) => `lib${n}`),
    languages: { C: 3, 'C++': 9 },
    expectedArtifacts: ['libdemo'],
    archFindings: [
      {
        file: 'a.c',
        line: 7,
        codeSnippet: '',
        archType: 'intrinsic_header',
        severity: 'high',
        suggestedFix: '',
      },
    ],
  });
  const analysis = fallbackAnalysis(known, 'demo');
  assert.is(analysis.language, 'C++');
  assert.is(analysis.llmGrounded, false);
  assert.is(analysis.needsCustomPlan, true);
  assert.is(analysis.dependencies.length, 10);
  assert.equal(analysis.riscvRisks, ['intrinsic header in a.c:7']);
  assert.equal(analysis.expectedArtifacts, ['libdemo']);
  const nothing = fallbackAnalysis(facts(noSystem), 'demo');
  assert.is(nothing.language, 'unknown');
  assert.is(nothing.buildSystemReasoning, 'nothing was recognised');
});

test('a state without facts gives empty ones', () => {
  const known = factsOf({
    buildSystemInfo: null,
    dependencies: null,
    archSpecificCode: [],
    x: { scan: null },
  });
  assert.is(known.buildSystem.type, 'unknown');
  assert.equal(known.dependencies.libraries, []);
  assert.equal(originOf({ repoName: 'a', x: { source: 'deb:a' } }), { source: 'deb:a', repoName: 'a' });
});

test.run();
