/**
 * Watches a run on standard error: lines that stay, and on a terminal a frame below them that is redrawn.
 * Everywhere else, and with TERM=dumb or in CI, only the lines.
 */
import type { AnyEvent } from '../../events/envelope.ts';
import type { OutputLine } from '../engine.ts';
import { type EventLine, linesOf } from './event-lines.ts';
import { cleaned, oneLine, type Palette, palette } from './format.ts';
import { frameOf } from './live-frame.ts';
import { newLiveModel, withEvent, withOutput } from './live-model.ts';
import type { Terminal } from './terminal.ts';

/** Time between two drawings, ms: fast enough to look alive, slow enough for a serial line. */
const redrawMs = 200;

export interface LiveView {
  /** `isNew` is false for what was shown by an earlier process: only the frame takes it in. */
  event(event: AnyEvent, isNew?: boolean): void;
  output(line: OutputLine): void;
  /** A line that stays, from somewhere else than the run's events. */
  say(text: string): void;
  /** Takes the frame away; nothing is drawn after it. */
  stop(): void;
}

const labelWidth = 10;

export const renderLine = ({ label, text, tone }: EventLine, colours: Palette): string =>
  `${colours.faint(label.padEnd(labelWidth))}${tone === 'plain' ? text : colours[tone](text)}`;

/** Takes the cursor to the frame's first line and clears from there to the end of the screen. */
const eraseFrame = (lines: number): string => (lines === 0 ? '' : `\u001b[${lines}A\r\u001b[J`);

/**
 * @param options.verbose shows the output of commands too, line by line
 * @param options.quiet shows nothing at all
 */
export const openLiveView = (terminal: Terminal, options: { verbose: boolean; quiet: boolean }): LiveView => {
  const colours = palette(terminal.colourErr);
  let model = newLiveModel();
  let drawn = 0;
  let stopped = options.quiet;
  let lastSaid = '';

  const frame = (): string => {
    const lines = frameOf(model, Date.now(), Math.max(20, terminal.columns() - 1), colours);
    drawn = lines.length;
    return lines.map((line) => `${line}\n`).join('');
  };
  const redraw = (staying: string): void => {
    if (stopped) return;
    if (!terminal.live) {
      if (staying !== '') terminal.err(staying);
      return;
    }
    terminal.err(eraseFrame(drawn) + staying + frame());
  };
  // The clock in the frame moves also when nothing happens. It keeps no process alive.
  const timer = terminal.live && !stopped ? setInterval(() => redraw(''), redrawMs).unref() : null;
  // A line that stays may wrap: only the frame is taken back.
  const keep = (text: string): void => redraw(`${text}\n`);

  return {
    event: (event, isNew = true) => {
      model = withEvent(model, event);
      if (!isNew) return;
      const lines = linesOf(event);
      for (const line of lines) keep(renderLine(line, colours));
    },
    output: ({ stream, text }) => {
      model = withOutput(model, text);
      if (options.verbose) {
        for (const line of cleaned(text).trimEnd().split('\n'))
          keep(`${' '.repeat(labelWidth)}${colours.faint(line)}`);
      } else if (stream === 'progress' && !terminal.live && oneLine(text) !== lastSaid) {
        // Without a frame, progress of a long set-up is the only sign of life.
        lastSaid = oneLine(text);
        keep(renderLine({ label: 'progress', text: lastSaid, tone: 'faint' }, colours));
      }
    },
    say: (text) => keep(text),
    stop: () => {
      if (timer !== null) clearInterval(timer);
      if (!stopped && terminal.live) terminal.err(eraseFrame(drawn));
      stopped = true;
    },
  };
};
