/** What the shell is told. Source: upstream facts §1.3; 4 is ours. */
export const exitCodes = {
  /** The port was built and proven riscv64, or the question was answered. */
  ok: 0,
  /** The port failed or was escalated, or the question could not be answered. */
  failed: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** It was built, but no riscv64 output was proven. */
  unproven: 3,
  /** A replay decided differently from the record. */
  diverged: 4,
  /** Stopped by Ctrl-C; the run can be resumed. */
  interrupted: 130,
} as const;
