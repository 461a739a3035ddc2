import { posix } from 'node:path';
import type { SandboxHandle } from '@talaria/terminal-backends';
import type { ToolResult, ToolSettings } from '../tool.ts';
import { toolError } from '../tool-result.ts';
import { followLinks } from './follow-links.ts';

const devices =
  /^\/dev\/(?:zero|u?random|full|std(?:in|out|err)|tty|console|fd\/[0-2])$|^\/proc\/[^/]+\/(?:task\/[^/]+\/)?fd\/[0-2]$/;
const processSecrets = /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|cmdline|maps|mem)$/;

const homeFolders = ['.ssh', '.aws', '.gnupg', '.kube', '.config/talaria', '.talaria'];
const homeFiles = [
  '.netrc',
  '.pgpass',
  '.npmrc',
  '.pypirc',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.profile',
  '.zshrc',
  '.zprofile',
  '.zshenv',
];
/** Where users of a machine have their homes. */
const usersHome = /^\/(?:root|(?:home|Users)\/[^/]+)(?=\/|$)/;
const systemPaths = /^\/etc\/(?:(?:sudoers|passwd|shadow)$|sudoers\.d(?:\/|$)|systemd(?:\/|$))/;

/**
 * The refusal of a path that must not be read: devices that never end, secrets of processes. The path itself is judged
 * before anything is touched, then the one to which links lead.
 */
export async function refusalToRead(
  path: string,
  sandbox: SandboxHandle,
  signal: AbortSignal,
): Promise<ToolResult | undefined> {
  const isRefused =
    isUnreadable(posix.normalize(path), sandbox) || isUnreadable(await followLinks(path, sandbox, signal), sandbox);
  return isRefused
    ? toolError('permission', `${path} is a device or belongs to a process; it cannot be read.`)
    : undefined;
}

function isUnreadable(path: string, { capabilities }: SandboxHandle): boolean {
  return devices.test(path) || (capabilities.isolation === 'none' && processSecrets.test(path));
}

/**
 * The refusal of a path that must not be written: outside the safe root; and where nothing stands between the sandbox and
 * the machine, keys, credentials, start-up files and the system's user files. Links are followed first.
 */
export async function refusalToWrite(
  path: string,
  sandbox: SandboxHandle,
  settings: ToolSettings,
  signal: AbortSignal,
): Promise<ToolResult | undefined> {
  const rule =
    protectedBy(posix.normalize(path), sandbox, settings) ??
    protectedBy(await followLinks(path, sandbox, signal), sandbox, settings);
  return rule === undefined
    ? undefined
    : toolError('permission', `${path} must not be written: ${rule}. Choose another path.`);
}

function protectedBy(path: string, sandbox: SandboxHandle, settings: ToolSettings): string | undefined {
  const { safeRoot } = settings;
  if (safeRoot !== null && !isWithin(path, posix.normalize(safeRoot))) return `it is outside ${safeRoot}`;
  if (devices.test(path)) return 'it is a device';
  if (sandbox.capabilities.isolation !== 'none') return undefined;
  if (processSecrets.test(path)) return 'it belongs to a process';
  if (systemPaths.test(path)) return 'it decides who may do what on this machine';
  const home = homeOf(path, sandbox);
  if (home === undefined) return undefined;
  if (homeFolders.some((folder) => isWithin(path, posix.join(home, folder)))) return 'it holds keys or credentials';
  if (homeFiles.some((file) => path === posix.join(home, file))) return 'it holds credentials or runs at start-up';
  return undefined;
}

/** The home folder that a path is in: the sandbox's, or that of a user of the machine. The sandbox's own may be in theirs. */
function homeOf(path: string, { home, temporaryFolder }: SandboxHandle): string | undefined {
  if (isWithin(path, home)) return home;
  return isWithin(path, temporaryFolder) ? undefined : usersHome.exec(path)?.[0];
}

function isWithin(path: string, folder: string): boolean {
  const root = folder.replace(/\/+$/, '');
  return path === root || path.startsWith(`${root}/`);
}
