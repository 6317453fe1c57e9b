import { mapSegments, segmentsOf } from '../shell/segments.ts';
import { buildsGo, type GoCommand, goCommandOf } from './go-command.ts';
import type { Rewrite } from './types.ts';

const lacksFlag = (text: string): GoCommand | null => {
  const go = goCommandOf(text);
  if (go === null || !buildsGo(go)) return null;
  return go.program.args.some((arg) => /^--?buildvcs(=|$)/.test(arg.value)) ? null : go;
};

export const goVcsFlag: Rewrite = {
  id: 'go.vcs-flag',
  seed: 1,
  because: 'Go asks git for a version stamp and stops where git refuses the folder or is absent.',
  kind: 'rewrite',
  limit: 'each run',
  changesPlan: false,
  needs: () => [],
  when: (command) => segmentsOf(command).some(({ text }) => lacksFlag(text) !== null),
  act: (command) =>
    mapSegments(command, ({ text }) => {
      const go = lacksFlag(text);
      if (go === null) return null;
      return `${text.slice(0, go.afterSubcommand)} -buildvcs=false${text.slice(go.afterSubcommand)}`;
    }),
  examples: [
    { command: 'go build ./...', expect: 'go build -buildvcs=false ./...' },
    {
      command: 'cd cli && CGO_ENABLED=0 go install . && go build -o x .',
      expect: 'cd cli && CGO_ENABLED=0 go install -buildvcs=false . && go build -buildvcs=false -o x .',
    },
    { command: 'go -C sub build', expect: 'go -C sub build -buildvcs=false' },
  ],
  nearMisses: [
    { command: 'go build -buildvcs=false .' },
    { command: 'go build -buildvcs=auto .' },
    { command: 'go test ./...' },
    { command: 'echo "go build ."' },
    { command: 'make go build' },
  ],
};
