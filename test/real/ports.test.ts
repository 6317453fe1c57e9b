/** Real sources, each taken to a proven riscv64 build by the command line, and replayed with nothing at hand. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startGitServer } from '../support/git-server.ts';
import { type Ended, runAtesor } from '../support/port-process.ts';
import { testHome } from '../support/test-home.ts';

const home = testHome();
const fixture = (name: string): string => join(import.meta.dirname, '../fixtures', name);
/** e_machine of RISC-V (ELF specification). */
const emRiscv = 243;

/** What a port must leave: at least these names (a prefix of a file's name), all of them RISC-V. */
async function portsTo(source: string, names: string[]): Promise<Ended> {
  // lz4's own tests take minutes under emulation; they are the port's business, not this test's.
  process.env.ATESOR_PACKAGE_TEST_TIMEOUT = source === 'orig:lz4' ? '0' : '600';
  const port = await runAtesor(home, ['port', source, '--force', '--json']);
  assert.is(port.exitCode, 0, `${source}: ${port.stderr}\n${JSON.stringify(port.events.at(-1))}`);
  const { result } = port;
  assert.is(result?.verdict, 'verified');
  for (const name of names) {
    const found = result?.artifacts.find((artifact) =>
      artifact.path.slice(artifact.path.lastIndexOf('/') + 1).startsWith(name),
    );
    assert.ok(found, `${source} left no ${name}: ${result?.artifacts.map(({ path }) => path).join(', ')}`);
  }
  for (const { path, machine, type } of result?.artifacts ?? []) {
    assert.is(machine, 'riscv64');
    const bytes = readFileSync(path);
    if (type !== 'library_static') assert.is(bytes.readUInt16LE(18), emRiscv, path);
  }
  for (const file of [result?.recipe, result?.report, result?.state])
    assert.ok(statSync(file as string).size > 0);
  const state = JSON.parse(readFileSync(result?.state as string, 'utf8')) as Record<string, unknown>;
  assert.is(state.build_status, 'SUCCESS');
  await replays(port);
  return port;
}

/** The server has ended with the port, the sandbox is closed, and there is no network but an empty namespace. */
async function replays({ result, events }: Ended): Promise<void> {
  const runId = result?.runId as string;
  const replay = await runAtesor(home, ['replay', runId, '--json'], 60_000, ['unshare', '-n']);
  assert.is(replay.exitCode, 0, replay.stderr);
  const report = replay.result as unknown as {
    runId: string;
    events: number;
    compared: number;
    diverged: unknown;
  };
  assert.equal(report, { runId, events: events.length, compared: events.length, diverged: null });
}

const cases: Array<[source: string, names: string[], kind: string]> = [
  ['deb:zlib', ['libz.so', 'libz.a'], 'a Debian source package'],
  ['orig:lz4', ['lz4', 'liblz4.so'], 'make'],
  ['orig:hiredis', ['libhiredis.so', 'libhiredis.a'], 'make'],
  ['orig:tinyxml2', ['libtinyxml2'], 'cmake'],
  ['orig:libinih', ['libinih'], 'meson'],
  ['orig:jo', ['jo'], 'autotools'],
  [fixture('go-hello'), ['go-hello'], 'go, from a folder'],
  [fixture('rust-hello'), ['rust-hello'], 'cargo, from a folder'],
];
for (const [source, names, kind] of cases) {
  const shown = source.slice(source.lastIndexOf('/') + 1);
  test(`${shown} (${kind}) ends verified, and its record replays without network, server or sandbox`, async () => {
    await portsTo(source, names);
  });
}

test('the same fixtures from a git server over http end verified', async () => {
  const server = await startGitServer();
  try {
    for (const name of ['go-hello', 'rust-hello']) {
      const { url } = await server.addRepository(name, fixture(name));
      await portsTo(url, [name]);
    }
  } finally {
    await server.close();
  }
});

test('a source that cannot build ends with exit code 1, an escalation report and a record that replays', async () => {
  const port = await runAtesor(home, ['port', fixture('broken-header'), '--force', '--json']);
  assert.is(port.exitCode, 1);
  assert.is(port.result?.exitCode, 1);
  await replays(port);
  const state = JSON.parse(readFileSync(port.result?.state as string, 'utf8')) as {
    context_cache: { escalation_report: string };
  };
  for (const part of ['Summary', 'Last Error', 'Recommendation']) {
    assert.match(state.context_cache.escalation_report, new RegExp(part, 'i'));
  }
});

test.run();
