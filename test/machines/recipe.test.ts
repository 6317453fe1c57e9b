import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fallbackRecipe } from '../../machines/recipe.ts';
import { verdictOf } from '../../machines/verdict.ts';
import { agentState } from '../support/agent-state.ts';

const entry = (phase: string, command: string, more = {}) => ({
  phase,
  command,
  ran: command,
  exitCode: 0,
  heuristic: null,
  ...more,
});
const install = 'apt-get update && apt-get install -y --no-install-recommends build-essential';

const scan = {
  sourceCommit: 'abc',
  riscv64: [{ path: 'jo', type: 'binary' as const, machine: 'riscv64', abi: 'lp64d', size: 1, sha256: 'x' }],
  foreign: [],
  prebuiltForeign: [],
  counts: { riscv64: 1, foreign: 0, prebuiltForeign: 0 },
  abiWarnings: ['jo: lp64'],
  examined: 1,
  truncated: false,
  scanError: null,
};

const built = agentState(
  {
    buildStatus: 'SUCCESS',
    artifactVerification: verdictOf(scan, ['libjo']),
    buildArtifacts: [{ filepath: 'jo', type: 'binary', architecture: 'riscv64' }],
    curatedArtifacts: [{ filepath: 'jo', type: 'binary', architecture: 'riscv64', role: 'primary' }],
  },
  {
    sourceCommit: 'abc',
    sourceVersion: '1.9',
    installedPackages: ['build-essential', 'libpng-dev'],
    losses: [{ what: 'NLS', because: 'heuristic x' }],
    sandbox: {
      driver: 'chroot',
      platform: 'debian-riscv64',
      accelerated: true,
      rootDigest: 'sha256:1',
      toolVersions: { gcc: '14.2.0-19' },
      limits: {},
      durationMs: 1,
    },
    buildLog: [
      entry('setup', install),
      entry('configure', './configure', { ran: 'autoreconf -fi && ./configure' }),
      entry('build', 'make -j$(nproc)', { exitCode: 2 }),
      entry('build', 'make -j$(nproc)', {
        ran: 'apt-get install -y libpng-dev',
        heuristic: 'header.missing',
      }),
      entry('build', 'make -j$(nproc)', { heuristic: 'header.missing' }),
      entry('build', 'make -j$(nproc)', { heuristic: 'header.missing' }),
    ],
  },
);

/** All commands of the recipe's blocks, in order. */
const commandsOf = (recipe: string): string[] =>
  [...recipe.matchAll(/```sh\n([\s\S]*?)\n```/g)].flatMap((match) => (match[1] as string).split('\n'));

test('[R1] the commands are those that ran and succeeded, in the order they ran', () => {
  assert.equal(commandsOf(fallbackRecipe(built)), [
    install,
    'autoreconf -fi && ./configure',
    'apt-get install -y libpng-dev',
    'make -j$(nproc)',
  ]);
});

test('[R2] every installed package, the source, its commit and the system are named', () => {
  const recipe = fallbackRecipe(built);
  assert.match(recipe, /^# Build demo for riscv64\n\nStatus: built and verified\n/);
  assert.match(recipe, 'installed by this run: `build-essential` `libpng-dev`');
  assert.match(recipe, '`deb:demo`, version 1.9');
  assert.match(recipe, 'Commit: `abc`');
  assert.match(recipe, 'with gcc 14.2.0-19');
});

test('the verdict, the artifacts and what was switched off are there', () => {
  const recipe = fallbackRecipe(built);
  assert.match(recipe, '- `jo`: binary, riscv64, primary');
  assert.match(recipe, '- Verdict: verified: 1 built file is riscv64; expected but not found: libjo');
  assert.match(recipe, '- ABI: jo: lp64');
  assert.match(recipe, '- NLS (heuristic x)');
  assert.match(recipe, 'was added by the rule header.missing');
});

test('a build that did not succeed says so, and one without a scan is not verified', () => {
  assert.match(fallbackRecipe(agentState({ buildStatus: 'ESCALATED' })), 'does not build the port');
  const recipe = fallbackRecipe(agentState({ buildStatus: 'SUCCESS' }));
  assert.match(recipe, 'built, not verified');
  assert.match(recipe, 'No command has succeeded.');
  assert.match(recipe, 'None.');
  assert.match(recipe, 'Not done.');
});

test('a long list of artifacts is cut and says how many are left out', () => {
  const many = Array.from({ length: 45 }, (_, n) => ({
    filepath: `f${n}`,
    type: 'binary',
    architecture: 'riscv64',
  }));
  assert.match(fallbackRecipe(agentState({ buildArtifacts: many })), '- and 5 more');
});

test.run();
