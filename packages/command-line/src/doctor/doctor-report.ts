import type { Finding } from './finding.ts';
import type { ModelServerFinding } from './probe-model-servers.ts';

/** Everything that `doctor` found. */
export interface DoctorReport {
  readonly findings: readonly Finding[];
  readonly modelServers: readonly ModelServerFinding[];
}
