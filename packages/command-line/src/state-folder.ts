import { join, resolve } from 'node:path';
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

/** Puts the home folder in place of a leading `~`. */
export function expandHome(path: string, homeFolder: string): string {
  return path === '~' || path.startsWith('~/') ? join(homeFolder, path.slice(1)) : path;
}
