import type { RepositoryScan } from '../../events/records.ts';

/** Stands in for an analysis that could not be made: nothing is known, so the scout plans by discovery. */
export const noFactsScan: RepositoryScan = {
  buildSystem: {
    type: 'unknown',
    confidence: 0,
    primaryFile: '',
    additionalFiles: [],
    requiresConfiguration: false,
    moduleDir: '',
  },
  candidates: [],
  dependencies: {
    systemPackages: [],
    libraries: [],
    buildTools: [],
    riscVAvailable: {},
    installMethod: 'apt',
    versionConstraints: {},
  },
  archFindings: [],
  goMain: null,
  tree: '',
  documentation: {},
  evidence: '',
  languages: {},
  fileCount: 0,
  hasSubmodules: false,
  expectedArtifacts: [],
  debianBuildDepends: [],
  durationMs: 0,
};
