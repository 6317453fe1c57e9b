/**
 * All recovery rules in the order in which they are tried: the seed's numbers first, rules beyond the seed
 * where they do good earliest. A new rule is one file and one line here.
 */
import { autotoolsBootstrap } from './autotools-bootstrap.ts';
import { goFlagCleanup } from './go-flag-cleanup.ts';
import { goVcsFlag } from './go-vcs-flag.ts';
import { missingExecBit } from './missing-exec-bit.ts';
import { missingHeader } from './missing-header.ts';
import { missingLibrary } from './missing-library.ts';
import { missingMacro } from './missing-macro.ts';
import { missingPerlModule } from './missing-perl-module.ts';
import { missingTool } from './missing-tool.ts';
import { nestedExecBit } from './nested-exec-bit.ts';
import { removedConfigScript } from './removed-config-script.ts';
import { staleConfigScripts } from './stale-config-scripts.ts';
import { suspectedOom } from './suspected-oom.ts';
import type { Heuristic, Retry, Rewrite } from './types.ts';

export const heuristics: readonly Heuristic[] = [
  goVcsFlag, // 1
  goFlagCleanup, // 2
  autotoolsBootstrap, // 4
  missingExecBit,
  staleConfigScripts,
  nestedExecBit,
  missingMacro,
  missingHeader, // 13
  missingLibrary,
  missingPerlModule,
  removedConfigScript,
  missingTool,
  suspectedOom, // 18
];

export const rewrites: readonly Rewrite[] = heuristics.filter((rule) => rule.kind === 'rewrite');
export const retries: readonly Retry[] = heuristics.filter((rule) => rule.kind === 'retry');
