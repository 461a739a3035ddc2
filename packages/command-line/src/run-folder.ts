import { join, resolve } from 'node:path';
import { ConfigError, createId } from '@talaria/core';
import type { DriverName } from '@talaria/environments';
import type { Host } from './host.ts';
import { expandHome } from './state-folder.ts';

/** What decides where a run lives. */
export interface RunFolderRequest {
  readonly driver: DriverName;
  readonly environmentName: string;
  /** The folder that `--output` names. */
  readonly output: string | null;
  /** The folder that `--resume` names. */
  readonly resume: string | null;
}

const parentFolders: Readonly<Record<DriverName, string>> = { process: 'runs', evaluate: 'evals' };

/**
 * The absolute folder of a run: the one that is asked for, else `runs/<environment>/<UTC time>-<6 random digits>`, for an
 * evaluation under `evals`. Runs that begin in the same second, on whatever machine, never share one.
 * @throws ConfigError `config.conflict` where both a new and an old folder are asked for
 */
export function chooseRunFolder(host: Host, request: RunFolderRequest): string {
  const { driver, environmentName, output, resume } = request;
  if (output !== null && resume !== null) {
    throw new ConfigError('--output and --resume are both given', {
      code: 'config.conflict',
      hint: '--resume DIR continues the run in that folder; --output DIR begins a new one.',
    });
  }
  const chosen = resume ?? output;
  if (chosen !== null) return resolve(host.cwd, expandHome(chosen, host.homeFolder));
  return join(host.cwd, parentFolders[driver], environmentName, `${timeStamp(host.clock.now())}-${randomDigits()}`);
}

/** Six hex digits. */
function randomDigits(): string {
  return createId('run').slice(-6);
}

/** UTC time as a folder name: `2026-01-31T12-30-05Z`. */
function timeStamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}
