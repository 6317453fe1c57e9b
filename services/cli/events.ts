/** `atesor events RUN`: what was recorded, one line an event. */
import type { AnyEvent, EventEnvelope } from '../../events/envelope.ts';
import type { CommandLine } from './command-line.ts';
import { linesOf } from './event-lines.ts';
import { exitCodes } from './exit-codes.ts';
import { cut, oneLine, time } from './format.ts';
import { withRecord } from './record.ts';
import type { Terminal } from './terminal.ts';

/** An event type fits a filter that equals it or is the beginning up to a dot: `build` fits `build.started`. */
const fits = (name: string, filters: readonly string[]): boolean =>
  filters.length === 0 || filters.some((filter) => name === filter || name.startsWith(`${filter}.`));

/** Characters of an event's data that its line shows where it has no words of its own. */
const dataChars = 100;

const eventText = (event: EventEnvelope): string => {
  const told = linesOf(event as AnyEvent).map(({ text }) => text);
  const text = told.length > 0 ? told.join('; ') : cut(oneLine(JSON.stringify(event.data)), dataChars);
  return `${String(event.seq).padStart(5)}  ${time(event.at)}  ${event.type.padEnd(26)} ${text}\n`;
};

export const eventsCommand = (line: CommandLine, terminal: Terminal): Promise<number> =>
  withRecord((log) => {
    const { runId } = log.findRun(line.operand);
    for (const event of log.readEnvelopes(runId)) {
      if (terminal.outClosed) break;
      if (!fits(event.type, line.types)) continue;
      if (line.nodes.length > 0 && !line.nodes.includes(event.node ?? '')) continue;
      terminal.out(line.json ? `${JSON.stringify(event)}\n` : eventText(event));
    }
    return exitCodes.ok;
  });
