import { posix } from 'node:path';
import type { SandboxHandle } from '@talaria/terminal-backends';

/** Longest chain of links that is followed. */
const maxLinks = 40;

/** The second follows paths of which more than the last part is missing; not every system has it. */
const script = '{ readlink -f -- "$0" || realpath -m -- "$0"; } 2>/dev/null';

/**
 * Where an absolute path leads once links in any of its parts are followed, and `..` is taken from there, as the system
 * does. Parts that do not exist stay as they are.
 */
export async function followLinks(path: string, sandbox: SandboxHandle, signal: AbortSignal): Promise<string> {
  // Each look at a part may be a way over the network; one program sees all of them.
  const known = sandbox.kind === 'local' ? undefined : await askSystem(path, sandbox, signal);
  return known ?? (await followParts(path, sandbox, signal));
}

async function askSystem(path: string, sandbox: SandboxHandle, signal: AbortSignal): Promise<string | undefined> {
  const result = await sandbox.runProgram(['sh', '-c', script, path], { timeoutMs: 30_000, signal });
  signal.throwIfAborted();
  const target = result.output.replace(/\n$/, '');
  const isKnown = result.kind === 'exited' && result.exitCode === 0 && target.startsWith('/');
  // A name that is not UTF-8 would come back changed.
  return isKnown && !target.includes('\ufffd') ? target : undefined;
}

async function followParts(path: string, sandbox: SandboxHandle, signal: AbortSignal): Promise<string> {
  let resolved = '/';
  let rest = partsOf(path);
  let links = 0;
  let exists = true;
  while (rest.length > 0) {
    const [part = '', ...following] = rest;
    rest = following;
    const next = posix.join(resolved, part);
    const stat = exists && part !== '..' ? await sandbox.stat(next, { isLink: true, signal }) : null;
    if (part !== '..' && stat === null) exists = false;
    if (stat?.kind === 'symlink' && stat.linkTarget !== undefined && links < maxLinks) {
      links += 1;
      rest = [...partsOf(stat.linkTarget), ...rest];
      if (stat.linkTarget.startsWith('/')) resolved = '/';
    } else resolved = next;
  }
  return resolved;
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}
