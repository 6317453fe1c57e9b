/** The part of the terminal that is redrawn: at most four lines, each cut to the width. Pure. */
import { cut, duration, type Palette } from './format.ts';
import type { LiveModel } from './live-model.ts';

/** `build_node` reads as `build`. */
const shortName = (node: string): string => node.replace(/_node$/, '').replaceAll('_', ' ');

/** The path so far; its beginning gives way when it is longer than `width`. */
export const pathText = (path: LiveModel['path'], width: number): string => {
  const parts = path.map(({ node, times }) => shortName(node) + (times > 1 ? ` ×${times}` : ''));
  let text = parts.join(' → ');
  for (let from = 1; text.length > width && from < parts.length; from++)
    text = `… → ${parts.slice(from).join(' → ')}`;
  return cut(text, width);
};

const phaseText = ({ phase, phases }: LiveModel): string[] =>
  phase === null ? [] : [`phase ${phase.id}${phases > 0 ? ` of ${phases}` : ''}: ${phase.name}`];

const headLine = (model: LiveModel, now: number): string =>
  [
    model.repoName,
    ...phaseText(model),
    ...(model.attempts > 0 ? [`${model.attempts} of ${model.maxAttempts} attempts`] : []),
    duration(now - model.startedAt),
  ].join(' · ');

/**
 * Lines of the frame at `now` (epoch ms), without line ends.
 * @param width columns of the terminal; no line is wider
 */
export const frameOf = (model: LiveModel, now: number, width: number, colours: Palette): string[] => {
  if (model.startedAt === 0) return [];
  const elapsed = model.doing === null ? '' : `  ${duration(now - model.doing.since)}`;
  return [
    colours.strong(cut(headLine(model, now), width)),
    colours.faint(pathText(model.path, width)),
    ...(model.doing === null ? [] : [cut(model.doing.text, Math.max(1, width - elapsed.length)) + elapsed]),
    ...(model.lastOutput === '' ? [] : [colours.faint(cut(`  ${model.lastOutput}`, width))]),
  ];
};
