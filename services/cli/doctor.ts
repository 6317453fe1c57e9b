/** `atesor doctor`: what this machine has, what it lacks, and how to get it. Installs and changes nothing. */
import type { CommandLine } from './command-line.ts';
import { exitCodes } from './exit-codes.ts';
import { palette, table } from './format.ts';
import { type Need, needsOfMachine } from './machine-needs.ts';
import type { Terminal } from './terminal.ts';

export const doctorCommand = async (line: CommandLine, terminal: Terminal): Promise<number> => {
  const needs = await needsOfMachine();
  const ok = needs.every(({ present, required }) => present || !required);
  if (line.json) terminal.out(`${JSON.stringify({ ok, needs })}\n`);
  else {
    const mark = ({ present, required }: Need) => (present ? 'ok' : required ? 'MISSING' : 'later');
    const rows = needs.map((need) => [mark(need), need.name, need.version, need.get]);
    terminal.out(table(rows));
    const colours = palette(terminal.colourOut);
    terminal.out(ok ? `${colours.good('all there')}\n` : `${colours.bad('something is missing')}\n`);
  }
  return ok ? exitCodes.ok : exitCodes.failed;
};
