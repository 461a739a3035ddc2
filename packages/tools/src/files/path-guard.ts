import { posix } from 'node:path';
import type { SandboxHandle } from '@talaria/terminal-backends';
import type { ToolResult, ToolSettings } from '../tool.ts';
import { toolError } from '../tool-result.ts';

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
const systemPaths = /^\/etc\/(?:(?:sudoers|passwd|shadow)$|sudoers\.d(?:\/|$)|systemd(?:\/|$))/;

/** Longest chain of links that is followed. */
const maxLinks = 16;

/** The refusal of a path that must not be read: devices that never end, secrets of processes. Links are followed first. */
export async function refusalToRead(
  path: string,
  sandbox: SandboxHandle,
  signal: AbortSignal,
): Promise<ToolResult | undefined> {
  const candidates = [posix.normalize(path), await followLinks(path, sandbox, signal)];
  return candidates.some((candidate) => isUnreadable(candidate, sandbox))
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
  const target = await followLinks(path, sandbox, signal);
  for (const candidate of new Set([posix.normalize(path), target])) {
    const rule = protectedBy(candidate, sandbox, settings);
    if (rule !== undefined)
      return toolError('permission', `${path} must not be written: ${rule}. Choose another path.`);
  }
  return undefined;
}

function protectedBy(path: string, { capabilities, home }: SandboxHandle, settings: ToolSettings): string | undefined {
  const { safeRoot } = settings;
  if (safeRoot !== null && !isWithin(path, posix.normalize(safeRoot))) return `it is outside ${safeRoot}`;
  if (devices.test(path)) return 'it is a device';
  if (capabilities.isolation !== 'none') return undefined;
  if (systemPaths.test(path)) return 'it decides who may do what on this machine';
  if (homeFolders.some((folder) => isWithin(path, posix.join(home, folder)))) return 'it holds keys or credentials';
  if (homeFiles.some((file) => path === posix.join(home, file))) return 'it holds credentials or runs at start-up';
  return undefined;
}

function isWithin(path: string, folder: string): boolean {
  const root = folder.replace(/\/+$/, '');
  return path === root || path.startsWith(`${root}/`);
}

/** Where a path leads once links in any of its parts are followed. Parts that do not exist stay as they are. */
export async function followLinks(path: string, sandbox: SandboxHandle, signal: AbortSignal): Promise<string> {
  let resolved = '/';
  let rest = posix.normalize(path).split('/').filter(Boolean);
  let links = 0;
  let exists = true;
  while (rest.length > 0) {
    const [part = '', ...following] = rest;
    rest = following;
    const next = posix.join(resolved, part);
    const stat = exists ? await sandbox.stat(next, { isLink: true, signal }) : null;
    if (stat === null) exists = false;
    if (stat?.kind === 'symlink' && stat.linkTarget !== undefined && links < maxLinks) {
      links += 1;
      const target = posix.resolve(resolved, stat.linkTarget);
      rest = [...target.split('/').filter(Boolean), ...rest];
      resolved = '/';
    } else resolved = next;
  }
  return resolved;
}
