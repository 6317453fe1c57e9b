/**
 * A plan command as what is to be done: shell runs, and package installations that the sandbox does itself.
 * `apt-get update && apt-get install -y a b && ./configure` is an installation of a and b, then a run.
 */
import { installOf } from './install.ts';
import { type Segment, segmentsOf } from './segments.ts';

export type CommandStep =
  | { kind: 'run'; command: string }
  /** `text` is what the user wrote, for events and the recipe. */
  | { kind: 'install'; names: string[]; text: string };

/**
 * The steps of a command, in order. Only a plain chain (`&&`, `;`, new lines) is taken apart; where an
 * installation stands under `||`, a pipe or a background job, the whole command stays one run.
 */
export function stepsOf(command: string): CommandStep[] {
  const segments = segmentsOf(command);
  const installs = segments.map((segment) => installOf(segment.text));
  if (installs.every((found) => found === null)) return [{ kind: 'run', command }];
  if (segments.some((segment) => !isPlain(segment))) return [{ kind: 'run', command }];
  const steps: CommandStep[] = [];
  const folders: string[] = [];
  let text: string[] = [];
  segments.forEach((segment, index) => {
    const install = installs[index];
    text.push(segment.text);
    if (install) {
      if (install.kind === 'install') {
        steps.push({ kind: 'install', names: install.names, text: text.join(' && ') });
        text = [];
      }
      return;
    }
    text = [];
    // A run starts in a fresh shell: what the chain has set up before goes with it.
    const last = steps.at(-1);
    if (/^(cd|export)\s/.test(segment.text)) folders.push(segment.text);
    else if (last?.kind === 'run') last.command = `${last.command} && ${segment.text}`;
    else steps.push({ kind: 'run', command: [...folders, segment.text].join(' && ') });
  });
  // An update alone has nothing to install: the index is the sandbox's own business.
  return steps.length > 0 ? steps : [{ kind: 'install', names: [], text: command }];
}

const isPlain = (segment: Segment): boolean => ['&&', ';', '\n', ''].includes(segment.after);
