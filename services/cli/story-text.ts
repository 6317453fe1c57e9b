/** A run's story as text. Pure. */

import { cut, oneLine, type Palette } from './format.ts';
import { renderLine } from './live-view.ts';
import type { RunStory } from './run-story.ts';

const heading = (title: string, colours: Palette): string => `\n${colours.strong(title)}\n`;

const section = (title: string, lines: readonly string[], colours: Palette): string =>
  lines.length === 0 ? '' : heading(title, colours) + lines.map((line) => `  ${line}\n`).join('');

/** Characters of an error's first line; `events --json` has it whole. */
const errorChars = 300;

/** Path, decisions, errors and repairs, each part left out when it is empty. */
export const storyText = (story: RunStory, colours: Palette): string =>
  section(
    'Path',
    story.path.length === 0
      ? []
      : [story.path.map(({ node, visit }) => (visit > 1 ? `${node}#${visit}` : node)).join(' → ')],
    colours,
  ) +
  section(
    'Decisions',
    story.decisions.map(
      ({ seq, from, to, row }) => `${String(seq).padStart(5)}  ${from} → ${to}  ${colours.faint(row)}`,
    ),
    colours,
  ) +
  section(
    'Repairs',
    story.repairs.map((line) => renderLine(line, colours)),
    colours,
  ) +
  section(
    'Errors',
    story.errors.map(
      ({ seq, category, severity, message }) =>
        `${String(seq).padStart(5)}  ${category}, ${severity}: ${cut(oneLine(message.split('\n')[0] ?? ''), errorChars)}`,
    ),
    colours,
  );

/** Artifacts and files of a finished run. */
export const outputsText = (story: RunStory, colours: Palette): string => {
  const { outcome } = story;
  if (outcome === null) return '';
  const files = (['recipe', 'report', 'state'] as const).flatMap((name) =>
    outcome[name] === null ? [] : [`${name.padEnd(8)}${outcome[name]}`],
  );
  return (
    section(
      'Artifacts',
      outcome.artifacts.map(({ path, type, machine, abi }) => `${machine} ${abi} ${type}  ${path}`),
      colours,
    ) +
    section('Lost on the way', story.losses, colours) +
    section('Files', files, colours)
  );
};
