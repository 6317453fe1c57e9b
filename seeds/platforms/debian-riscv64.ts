/** Debian trixie on riscv64: what plans, rules and the fixer need to know of it. */
import { debianCorrections } from '../package-corrections.debian.ts';
import { debianPackages } from '../package-map.debian.ts';

export interface PlatformProfile {
  /** As in `platform` of a run and the sandbox key of the recipe cache. */
  id: string;
  distribution: string;
  suite: string;
  libc: 'glibc' | 'musl';
  /** GNU triplet of the target, as config.guess says it. */
  triplet: string;
  /** Architecture as the package system calls it. */
  packageArchitecture: string;
  update: string;
  install: string;
  packages: Readonly<Record<string, readonly string[]>>;
  corrections: Readonly<Record<string, string>>;
  /** Facts for people and models. */
  notes: readonly string[];
}

export const debianRiscv64: PlatformProfile = {
  id: 'debian-riscv64',
  distribution: 'debian',
  suite: 'trixie',
  libc: 'glibc',
  triplet: 'riscv64-unknown-linux-gnu',
  packageArchitecture: 'riscv64',
  update: 'apt-get update',
  install: 'apt-get install -y --no-install-recommends',
  packages: debianPackages,
  corrections: debianCorrections,
  notes: [
    'The build runs as on the riscv64 machine itself: give no --host, no cross prefix, no cross compiler.',
    'glibc: execinfo, argp and fts are part of it.',
    'Compilers of trixie: gcc 14, cmake 3.31, meson 1.7, Go 1.24, rustc 1.85.',
    'The network is on in phases that fetch (setup, fetch) and off in all others.',
    'Relocation R_RISCV_HI20 "truncated to fit": compile with -fPIC or -mcmodel=medany.',
    'Atomics of 1 and 2 bytes may need -latomic at the end of the link line.',
  ],
};
