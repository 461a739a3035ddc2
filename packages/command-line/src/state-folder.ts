import { join, resolve } from 'node:path';
import type { Host } from './host.ts';

/**
 * Where sandboxes live, and what is known about them: `TERMINAL_SANDBOX_DIR`, else `talaria` in the user's folder for
 * state (`XDG_STATE_HOME`, else `~/.local/state`).
 */
export function stateFolder(host: Host): string {
  const { TERMINAL_SANDBOX_DIR: chosen, XDG_STATE_HOME: stateHome } = host.variables;
  if (chosen !== undefined && chosen !== '') return resolve(host.cwd, expandHome(chosen, host.homeFolder));
  // The XDG specification asks to ignore a relative path.
  const parent = stateHome?.startsWith('/') ? stateHome : join(host.homeFolder, '.local', 'state');
  return join(parent, 'talaria');
}

/** Puts the home folder in place of a leading `~`. */
export function expandHome(path: string, homeFolder: string): string {
  return path === '~' || path.startsWith('~/') ? join(homeFolder, path.slice(1)) : path;
}
