import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ConfigError, errorMessage, systemErrorCode } from '@talaria/core';
import type { Host } from './host.ts';

/**
 * Where sandboxes live, and what is known about them: the folder that `terminal.state_dir` names, else `talaria` in the
 * user's folder for state (`XDG_STATE_HOME`, else `~/.local/state`). Without a configuration, as in `doctor`, the variable
 * of that setting counts.
 */
export function stateFolder(
  host: Host,
  chosen: string | null = host.variables['TERMINAL_SANDBOX_DIR'] ?? null,
): string {
  const { XDG_STATE_HOME: stateHome } = host.variables;
  if (chosen !== null && chosen !== '') return resolve(host.cwd, expandHome(chosen, host.homeFolder));
  // The XDG specification asks to ignore a relative path.
  const parent = stateHome?.startsWith('/') ? stateHome : join(host.homeFolder, '.local', 'state');
  return join(parent, 'talaria');
}

/**
 * Makes sure that a folder, or the nearest parent that exists, can be read and written.
 * @throws ConfigError `config.bad-state-folder`
 */
export async function checkStateFolder(folder: string): Promise<void> {
  try {
    await checkAccess(folder);
  } catch (error) {
    throw new ConfigError(`The folder for sandboxes, ${folder}, cannot be used: ${errorMessage(error)}`, {
      code: 'config.bad-state-folder',
      hint: 'Make it readable and writable, or name another one: TERMINAL_SANDBOX_DIR, or XDG_STATE_HOME for its parent.',
      cause: error,
    });
  }
}

async function checkAccess(folder: string): Promise<void> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if (!(await stat(folder)).isDirectory()) throw new TypeError('it is no folder');
  } catch (error) {
    const parent = dirname(folder);
    if (systemErrorCode(error) !== 'ENOENT' || parent === folder) throw error;
    await checkAccess(parent);
  }
}

/** Puts the home folder in place of a leading `~`. */
export function expandHome(path: string, homeFolder: string): string {
  return path === '~' || path.startsWith('~/') ? join(homeFolder, path.slice(1)) : path;
}
