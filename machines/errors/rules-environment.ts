/** Failures of what surrounds the build: the emulator, limits of services, disk, memory, locks. */
import type { FailureRule } from './failure-rule.ts';

export const environmentRules: readonly FailureRule[] = [
  {
    id: 'emulator.fault',
    category: 'UNKNOWN',
    line: /qemu: (?:uncaught target signal|unhandled|fatal)|\b(?:in|under) qemu-user\b|qemu-user.*(?:fault|hang|segmentation)/i,
    action:
      'the emulator failed, not the package: do not patch it; build again, with another emulator version or on hardware',
  },
  {
    id: 'emulator.no-leak-check',
    category: 'UNKNOWN',
    line: /LeakSanitizer (?:has encountered a fatal error|does not work under ptrace)/,
    action:
      'sanitizers do not run under emulation: run these tests with ASAN_OPTIONS=detect_leaks=0 or on hardware; do not patch the package',
  },
  {
    id: 'emulator.missing-system-call',
    category: 'UNKNOWN',
    line: /seccomp\w* failed|(?:setsockopt|socket|ioctl|prctl|io_uring_setup|keyctl|perf_event_open|\w+_open)\([^)]*\).*: (?:Protocol not available|Operation not supported|Function not implemented|Address family not supported)/i,
    action:
      'the emulator lacks this system call: count these tests as not runnable here; do not patch the package',
  },
  {
    id: 'emulator.address-space',
    category: 'UNKNOWN',
    line: /WebAssembly\.(?:Instance|Memory)\(\): Out of memory/,
    action:
      'the address space is too small, not the memory: fewer jobs do not help; take prebuilt script files or a machine with a larger address space',
  },
  {
    id: 'service.rate-limit',
    category: 'RATE_LIMIT',
    line: /rate limit|too many requests|quota exceeded|resource_exhausted|\b(?:HTTP(?:\/[\d.]+)?|status(?: code)?|error|code|returned)[ :=]+429\b/i,
    action: 'wait until the service answers again, or use a token, and run the command again',
  },
  {
    id: 'disk.full',
    category: 'DISK_SPACE',
    line: /no space left on device|disk full|out of disk space|disk quota exceeded|You don't have enough free space/i,
    action: 'free or add disk space before the next try',
  },
  {
    id: 'packages.locked',
    category: 'DEPENDENCY',
    line: /could not get lock \S*\/lock|unable to lock database|is held by process \d+/i,
    action: 'another package installation is running: wait for it and install again',
  },
  {
    id: 'memory.killed',
    category: 'COMPILATION',
    line: /Killed signal terminated program|terminated with signal 9|\(signal: 9, SIGKILL|signal: killed|^\s*(?:\S+: line \d+:\s+\d+ )?Killed\b\s*(?:$|[^:]*$)|virtual memory exhausted|out of memory allocating|std::bad_alloc|JavaScript heap out of memory/,
    action: 'memory ran out: build with fewer jobs (-j1) or more memory; the source needs no change',
  },
];
