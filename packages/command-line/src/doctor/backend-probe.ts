import type { TerminalConfig } from '@talaria/environments';
import type { Host } from '../host.ts';
import type { FindPeerPackage } from './find-package.ts';
import type { Finding } from './finding.ts';

/** What a probe found out about a backend. */
export type BackendFinding = Omit<Finding, 'name' | 'isRequired'>;

/** Finds out whether a backend can be used: without a login, without a change, and within seconds. */
export type BackendProbe = (host: Host, config: TerminalConfig, findPeer: FindPeerPackage) => Promise<BackendFinding>;

/** Everything is there. */
export function usable(detail: string, hint: string): BackendFinding {
  return { status: 'ok', detail, hint };
}

/** Something is not there that has to be installed or set; `hint` does it. */
export function missing(detail: string, hint: string): BackendFinding {
  return { status: 'missing', detail, hint };
}

/** Something is there and does not work; `hint` mends it. */
export function broken(detail: string, hint: string): BackendFinding {
  return { status: 'broken', detail, hint };
}
