import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';

/** Relative paths of the files below a folder of the host, sorted. Links to files count, links to folders do not. */
export async function listHostFiles(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  async function visit(relative: string): Promise<void> {
    for (const entry of await readdir(join(folder, relative), { withFileTypes: true })) {
      const path = join(relative, entry.name);
      if (entry.isDirectory()) await visit(path);
      else if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(join(folder, path))))) files.push(path);
    }
  }
  await visit('');
  return files.sort();
}

/**
 * Relative paths of the files below a folder of the sandbox, sorted, without links.
 * @throws SandboxError `sandbox.unsafe-path` for a name that would lead out of the folder
 */
export async function listSandboxFiles(sandbox: SandboxHandle, folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  async function visit(relative: string): Promise<void> {
    for (const { name, kind } of await sandbox.list(`${folder}/${relative}`)) {
      refuseUnsafeName(sandbox, name);
      const path = relative === '' ? name : `${relative}/${name}`;
      if (kind === 'directory') await visit(path);
      else if (kind === 'file') files.push(path);
    }
  }
  await visit('');
  return files.sort();
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The names come from inside the sandbox and become paths on the host. */
function refuseUnsafeName(sandbox: SandboxHandle, name: string): void {
  if (name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0')) return;
  throw new SandboxError(`The sandbox listed an impossible file name: ${JSON.stringify(name)}`, {
    code: 'sandbox.unsafe-path',
    backend: sandbox.kind,
    phase: 'transfer',
    started: false,
  });
}
