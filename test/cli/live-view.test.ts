import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnyEvent } from '../../events/envelope.ts';
import { linesOf } from '../../services/cli/event-lines.ts';
import { palette } from '../../services/cli/format.ts';
import { frameOf, pathText } from '../../services/cli/live-frame.ts';
import { newLiveModel, withEvent, withOutput } from '../../services/cli/live-model.ts';
import { openLiveView } from '../../services/cli/live-view.ts';
import type { Terminal } from '../../services/cli/terminal.ts';

const at = 1_790_000_000_000;
let seq = 0;
const event = (type: string, data: unknown, more: object = {}): AnyEvent =>
  ({ id: `r-${++seq}`, runId: 'r', seq, at, type, data, ...more }) as unknown as AnyEvent;

const started = event('run.started', { repoName: 'zlib', source: 'deb:zlib', maxAttempts: 5 });
const entered = (node: string) => event('actor.started', { node, visit: 1, attempt: 1 });
const command = event(
  'effect.requested',
  { name: 'runCommand', input: { command: 'make -j2' } },
  { id: 'e1' },
);

const modelOf = (...events: AnyEvent[]) => events.reduce(withEvent, newLiveModel());
const plain = palette(false);

test('the frame shows package, phase, path, command with elapsed time, and the last output line', () => {
  const model = withOutput(
    modelOf(
      started,
      entered('init_node'),
      entered('build_node'),
      event('build.phaseStarted', { phaseId: 2, name: 'build' }),
      command,
    ),
    'gcc -c a.c\ngcc -c b.c\n',
  );
  assert.equal(frameOf(model, at + 12_000, 80, plain), [
    'zlib · phase 2: build · 12 s',
    'init → build',
    '$ make -j2  12 s',
    '  gcc -c b.c',
  ]);
});

test('no line of the frame is wider than the terminal', () => {
  const wide = event(
    'effect.requested',
    { name: 'runCommand', input: { command: 'x'.repeat(500) } },
    { id: 'e2' },
  );
  const path = Array.from({ length: 60 }, (_, i) => entered(i % 2 ? 'build_node' : 'fix_node'));
  const model = withOutput(modelOf(started, ...path, wide), 'y'.repeat(500));
  for (const width of [20, 40, 80])
    for (const line of frameOf(model, at, width, plain)) assert.ok([...line].length <= width, line);
});

test('a long path loses its beginning, not its end', () => {
  const path = ['aaaa_node', 'b_node', 'c_node'].map((node) => ({ node, times: 1 }));
  assert.is(pathText(path, 9), '… → b → c');
});

test('a command that has ended is no longer shown as running', () => {
  const model = modelOf(
    started,
    command,
    event('effect.succeeded', { effectId: 'e1', name: 'runCommand', output: {} }),
  );
  assert.is(model.doing, null);
});

test('what a command prints cannot reach the terminal as control characters', () => {
  const model = withOutput(modelOf(started, command), '\u001b[2Jgone\u0007');
  assert.is(model.lastOutput, 'gone');
  const hostile = event('error.recorded', {
    error: { category: 'UNKNOWN', severity: 'high', message: '\u001b[2J\u001b]0;title\u0007boom\nmore' },
  });
  assert.is(linesOf(hostile)[0]?.text, 'UNKNOWN, high: boom');
});

const terminal = (live: boolean) => {
  const written: string[] = [];
  const fake: Terminal = {
    out: () => undefined,
    err: (text) => written.push(text),
    live,
    columns: () => 80,
    colourOut: false,
    colourErr: false,
    outClosed: false,
  };
  return { fake, written };
};

test('without a terminal there are only lines, no cursor movements', () => {
  const { fake, written } = terminal(false);
  const view = openLiveView(fake, { verbose: false, quiet: false });
  view.event(started);
  view.output({ runId: 'r', effectId: 'e', stream: 'stdout', text: 'hidden' });
  view.output({ runId: 'r', effectId: 'e', stream: 'progress', text: 'unpacking' });
  view.output({ runId: 'r', effectId: 'e', stream: 'progress', text: 'unpacking' });
  view.stop();
  assert.equal(written, ['run       zlib from deb:zlib, run r\n', 'progress  unpacking\n']);
});

test('on a terminal the frame is taken back before each line and at the end', () => {
  const { fake, written } = terminal(true);
  const view = openLiveView(fake, { verbose: false, quiet: false });
  view.event(started);
  view.say('a line');
  view.stop();
  view.say('nothing any more');
  assert.is(written.length, 3);
  assert.ok(written[1]?.startsWith('\u001b[2A\r\u001b[Ja line\n'), JSON.stringify(written[1]));
  assert.is(written[2], '\u001b[2A\r\u001b[J');
});

test('--verbose shows what commands print, --quiet nothing', () => {
  const loud = terminal(false);
  openLiveView(loud.fake, { verbose: true, quiet: false }).output({
    runId: 'r',
    effectId: 'e',
    stream: 'stdout',
    text: 'one\ntwo\n',
  });
  assert.equal(loud.written, ['          one\n', '          two\n']);
  const silent = terminal(true);
  openLiveView(silent.fake, { verbose: false, quiet: true }).event(started);
  assert.equal(silent.written, []);
});

test.run();
