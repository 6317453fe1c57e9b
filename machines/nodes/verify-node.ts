/**
 * Verify node: reads the ELF header of every build output and states the verdict.
 * V1 a wrong architecture is FAILED with an ARCHITECTURE error, which counts an attempt and goes to the fixer.
 * V2 an unverified build stays SUCCESS (exit code 3 at the end).
 */
import { setup } from 'xstate';
import type { AnyFact } from '../../events/envelope.ts';
import type { ArtifactScan } from '../../events/records.ts';
import { effect, fact, type NodeInput, recordAction } from '../actor-kit.ts';
import { verdictOf } from '../verdict.ts';

export const verifyNode = setup({
  types: {} as { input: NodeInput; context: NodeInput },
  actors: { scanArtifacts: effect('scanArtifacts') },
  actions: { record: recordAction },
}).createMachine({
  id: 'verify_node',
  context: ({ input }) => input,
  initial: 'scanning',
  states: {
    scanning: {
      invoke: {
        id: 'scanArtifacts',
        src: 'scanArtifacts',
        input: ({ context: { state } }) => ({
          repoPath: state.repoPath,
          expectedArtifacts: expectedOf(state),
          sourceCommit: state.x.sourceCommit,
        }),
        onDone: {
          target: 'judged',
          actions: { type: 'record', params: ({ context, event }) => verdictFacts(context, event.output) },
        },
      },
    },
    judged: { type: 'final' },
  },
});

const expectedOf = (state: NodeInput['state']): string[] => state.packageAnalysis?.expectedArtifacts ?? [];

function verdictFacts({ state }: NodeInput, scan: ArtifactScan): AnyFact[] {
  const verification = verdictOf(scan, expectedOf(state));
  const scanned = fact('verify.outputsScanned', { verification });
  if (verification.status !== 'wrong_arch') {
    return [scanned, fact('verify.passed', { verified: verification.verified })];
  }
  const files = verification.foreign.map((file) => `${file.path} (${file.machine})`);
  return [
    scanned,
    fact('error.recorded', {
      keepsLastError: false,
      error: {
        category: 'ARCHITECTURE',
        seedCategory: 'ARCHITECTURE',
        message: `Built for another architecture than riscv64: ${files.slice(0, 10).join(', ')}`,
        severity: 'medium',
        command: null,
        file: verification.foreign[0]?.path ?? null,
        line: null,
        action: 'find what chose the other compiler or architecture and make it use the native one',
        signature: `ARCHITECTURE|built for ${verification.foreign[0]?.machine ?? 'another machine'}`,
      },
    }),
    fact('verify.wrongArchFound', { files: files.slice(0, 200) }),
  ];
}
