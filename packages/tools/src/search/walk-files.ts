import { posix } from 'node:path';
import { isTalariaError } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { isNotFound } from '../sandbox-failure.ts';
import { type SearchScope, searchTimeoutMs } from './search-engine.ts';
import { absoluteRoots } from './search-roots.ts';

const maxFiles = 20_000;

/** What is known once a walk ended. */
export interface FileWalk {
  /** Why it ended before everything was seen. */
  limitReason: 'files' | 'time' | undefined;
}

/** Files below the roots, or the roots themselves, in the order of their paths. Links are not followed. */
export async function* walkFiles(scope: SearchScope, sandbox: SandboxHandle, walk: FileWalk): AsyncGenerator<string> {
  const { clock } = scope;
  const endAtMs = clock.monotonicMs() + searchTimeoutMs;
  let fileCount = 0;
  for (const root of absoluteRoots(scope)) {
    for await (const path of walkRoot(root, scope, sandbox)) {
      if (path !== null) fileCount += 1;
      if (fileCount > maxFiles) walk.limitReason = 'files';
      else if (clock.monotonicMs() > endAtMs) walk.limitReason = 'time';
      if (walk.limitReason !== undefined) return;
      if (path !== null) yield path;
    }
  }
}

/** `null` after each folder, so that the time is looked at where there are no files. */
async function* walkRoot(root: string, scope: SearchScope, sandbox: SandboxHandle): AsyncGenerator<string | null> {
  const { signal, includeHidden } = scope;
  if ((await sandbox.stat(root, { signal }))?.kind === 'file') {
    yield root;
    return;
  }
  const pending = [root];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = await listReadable(folder, sandbox, signal);
    const shown = entries.filter(({ name }) => includeHidden || !name.startsWith('.'));
    const folders: string[] = [];
    for (const { name, kind } of shown) {
      const path = posix.join(folder, name);
      if (kind === 'directory') folders.push(path);
      if (kind === 'file') yield path;
    }
    for (const path of folders.reverse()) pending.push(path);
    yield null;
  }
}

/** A folder that went away or may not be read is passed over, as the other engines do. */
async function listReadable(
  folder: string,
  sandbox: SandboxHandle,
  signal: AbortSignal,
): ReturnType<SandboxHandle['list']> {
  try {
    return await sandbox.list(folder, { signal });
  } catch (error) {
    if (isUnreachable(error)) return [];
    throw error;
  }
}

/** Whether an error says that a path went away, or may not be read. */
export function isUnreachable(error: unknown): boolean {
  return isNotFound(error) || (isTalariaError(error) && error.code === 'sandbox.permission');
}
