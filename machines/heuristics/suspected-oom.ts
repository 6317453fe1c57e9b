import { outputText, wasSilent } from './output.ts';
import { isParallel, serialCommand } from './serial-command.ts';
import type { Failure, Retry } from './types.ts';

/** Exit code of a process killed by KILL, as a shell says it: 128 + 9. */
const killed = 137;
/** The compiler driver, make and the linker say that a child of theirs was killed. */
const childKilled =
  /Killed signal terminated program|ld terminated with signal 9|\(signal: 9, SIGKILL|^(?:[^\n]*: )?Killed$|signal: killed|virtual memory exhausted|cc1plus: out of memory|std::bad_alloc/m;

/** A kill at the time limit is no lack of memory, and the kernel's own counter outweighs a guess. */
function looksLikeOom({ command, result }: Failure): boolean {
  if (result.timedOut || result.exitCode === 0) return false;
  if (result.oomKilled === true) return true;
  if (result.exitCode === killed || childKilled.test(outputText(result))) return true;
  return isParallel(command) && wasSilent(result);
}

export const suspectedOom: Retry = {
  id: 'memory.suspected-oom',
  seed: 18,
  because: 'Parallel jobs need more memory than there is.',
  kind: 'retry',
  limit: 'once per command',
  changesPlan: true,
  needs: () => [],
  key: (failure) => `oom:${failure.planned}`,
  when: (failure) => looksLikeOom(failure),
  act: (failure) => {
    const serial = serialCommand(failure.command);
    if (serial === failure.command) return null;
    return { steps: [{ retry: serial }], planCommand: serial, loss: null };
  },
  examples: [
    {
      command: 'cd build && make -j$(nproc)',
      output: 'g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.',
      exitCode: 2,
      expect: [{ retry: 'cd build && MAKEFLAGS=-j1 make -j1' }],
      planCommand: 'cd build && MAKEFLAGS=-j1 make -j1',
    },
    { command: 'make -j', output: '', exitCode: 137, expect: [{ retry: 'MAKEFLAGS=-j1 make -j1' }] },
    { command: 'make --jobs 8 all', output: '', expect: [{ retry: 'MAKEFLAGS=-j1 make -j1 all' }] },
    {
      command: 'ninja -C builddir',
      output: 'x',
      exitCode: 137,
      expect: [{ retry: 'ninja -j1 -C builddir' }],
    },
    {
      command: 'cmake --build build -j 8',
      output: 'x',
      exitCode: 137,
      expect: [{ retry: 'cmake --build build -j1' }],
    },
    {
      command: 'go build -o bin/ ./...',
      output: '',
      exitCode: 1,
      expect: [{ retry: 'GOMAXPROCS=1 go build -p 1 -o bin/ ./...' }],
    },
    {
      command: 'cargo build --release',
      output: "process didn't exit successfully: `rustc` (signal: 9, SIGKILL: kill)",
      exitCode: 101,
      expect: [{ retry: 'CARGO_BUILD_JOBS=1 cargo build -j 1 --release' }],
    },
    {
      command: 'apt-get install -y make && make -j4',
      output: '',
      exitCode: 137,
      expect: [{ retry: 'apt-get install -y make && MAKEFLAGS=-j1 make -j1' }],
    },
    { command: 'npm run build', output: '', exitCode: 137, expect: [{ retry: 'npm run --jobs 1 build' }] },
    {
      command: 'pip install cffi',
      output: '',
      exitCode: 137,
      expect: [{ retry: 'MAKEFLAGS=-j1 pip install cffi' }],
    },
  ],
  nearMisses: [
    { command: 'make -j4', output: '', exitCode: 137, timedOut: true },
    { command: 'apt-get install -y make', output: '', exitCode: 137 },
    { command: 'make', output: '', exitCode: 2 },
    { command: 'make -j4', output: 'main.c:3:1: error: unknown type name', exitCode: 2 },
    { command: 'MAKEFLAGS=-j1 make -j1', output: '', exitCode: 137 },
    {
      command: 'npm ci',
      output: 'WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory',
      exitCode: 1,
    },
  ],
};
