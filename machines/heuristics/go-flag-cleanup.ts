import { mapSegments, segmentsOf } from '../shell/segments.ts';
import { buildsGo, goCommandOf } from './go-command.ts';
import type { Rewrite } from './types.ts';

const flag = '-buildvcs=false';
const misplaced = (text: string): boolean => {
  const go = goCommandOf(text);
  return go !== null && !buildsGo(go) && go.program.args.some((arg) => arg.value === flag);
};

export const goFlagCleanup: Rewrite = {
  id: 'go.flag-cleanup',
  seed: 2,
  because: 'Go commands other than build and install stop at a flag that they do not know.',
  kind: 'rewrite',
  limit: 'each run',
  changesPlan: false,
  needs: () => [],
  when: (command) => segmentsOf(command).some(({ text }) => misplaced(text)),
  act: (command) =>
    mapSegments(command, ({ text }) => {
      if (!misplaced(text)) return null;
      let result = text;
      for (const arg of (goCommandOf(text)?.program.args ?? []).toReversed()) {
        if (arg.value === flag) result = result.slice(0, arg.start).trimEnd() + result.slice(arg.end);
      }
      return result;
    }),
  examples: [
    { command: 'go mod tidy -buildvcs=false', expect: 'go mod tidy' },
    {
      command: 'go mod download -buildvcs=false && go build -buildvcs=false .',
      expect: 'go mod download && go build -buildvcs=false .',
    },
    { command: 'go -buildvcs=false', expect: 'go' },
  ],
  nearMisses: [
    { command: 'go build -buildvcs=false .' },
    { command: 'go install -buildvcs=false ./cmd/x' },
    { command: 'go mod tidy' },
    { command: 'echo -buildvcs=false' },
  ],
};
