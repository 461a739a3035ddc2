import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backendKinds, type TerminalConfig } from '@talaria/environments';
import type { BackendKind } from '@talaria/terminal-backends';
import type { Host } from '../host.ts';
import { readLedgerRecords } from '../ledger-records.ts';
import { stateFolder } from '../state-folder.ts';
import type { SandboxesRequest } from './read-sandboxes-arguments.ts';

/** A backend that is looked at. */
export interface ChosenBackend {
  readonly kind: BackendKind;
  /** Whether it is a failure that it cannot be looked at. */
  readonly isExpected: boolean;
}

/**
 * The backends whose sandboxes are looked at: those that are asked for; else the configured one and those that the
 * ledger holds sandboxes of, which are expected to answer, and all others that might.
 */
export async function chooseBackends(host: Host, request: SandboxesRequest): Promise<readonly ChosenBackend[]> {
  const { kinds, configured } = request;
  if (kinds.length > 0) return [...new Set(kinds)].map((kind) => ({ kind, isExpected: true }));
  const { config } = configured;
  const records = await readLedgerRecords(stateFolder(host, config.state_dir));
  const expected = new Set(['local', config.backend, ...records.map((record) => record?.['backend'])]);
  return backendKinds
    .map((kind) => ({ kind, isExpected: expected.has(kind) }))
    .filter(({ kind, isExpected }) => isExpected || mightAnswer(host, kind, request));
}

/** What it takes for a backend to have sandboxes, as far as that costs nothing to find out. */
function mightAnswer(host: Host, kind: BackendKind, request: SandboxesRequest): boolean {
  const { ssh }: TerminalConfig = request.configured.config;
  const isSet = (...names: readonly string[]): boolean => names.some((name) => (host.variables[name] ?? '') !== '');
  switch (kind) {
    case 'ssh':
      return ssh.host !== null || isSet('TERMINAL_SSH_HOST');
    case 'modal':
      return isSet('MODAL_TOKEN_ID', 'MODAL_OAUTH_REFRESH_TOKEN') || existsSync(join(host.homeFolder, '.modal.toml'));
    case 'daytona':
      return isSet('DAYTONA_API_KEY', 'DAYTONA_JWT_TOKEN');
    case 'singularity':
      // It tells of what the ledger holds, and then it is expected anyway.
      return false;
    default:
      return true;
  }
}
