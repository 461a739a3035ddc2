import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quoteShell, systemErrorCode } from '@talaria/core';
import type { SavePlace } from './shell-wrapper.ts';

/** The shell state of one sandbox, between its commands: files that the wrapper reads and writes. */
export interface ShellState {
  /** Script that brings the state back. */
  readonly loadFrom: string;
  /** Where the next command saves. */
  readonly saveTo: SavePlace;
  /**
   * Takes over what the command saved and gives its working folder. `null` where it saved nothing whole (it was killed,
   * replaced its shell, or has an EXIT trap of its own): the state before stays.
   */
  adopt(execId: string): Promise<string | null>;
}

/**
 * The files take turns: a command that dies while saving spoils only the next one, and a background process that starts
 * slowly still finds the state that it was started with.
 */
const fileCount = 8;

/** Writes the first state into an existing folder. */
export async function createShellState(
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<ShellState> {
  const endFile = join(folder, 'end');
  let current = 0;

  function environmentFile(index: number): string {
    return join(folder, `environment-${index % fileCount}`);
  }

  await writeFile(environmentFile(current), exportScript(variables), { mode: 0o600 });
  return {
    get loadFrom() {
      return environmentFile(current);
    },
    get saveTo() {
      return { environmentFile: environmentFile(current + 1), endFile };
    },
    async adopt(execId) {
      const end = await readEnd(endFile, environmentFile(current + 1));
      const [id, folderLine] = end.split('\0');
      if (id !== execId || folderLine === undefined || !folderLine.endsWith('\n')) return null;
      current += 1;
      return folderLine.slice(0, -1);
    },
  };
}

async function readEnd(endFile: string, environmentFile: string): Promise<string> {
  try {
    return await readFile(endFile, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return '';
    if (systemErrorCode(error) !== 'EACCES') throw error;
  }
  // The command left a file mode mask that took the files from their own owner.
  await chmod(endFile, 0o600);
  await chmod(environmentFile, 0o600);
  return await readFile(endFile, 'utf8');
}

function exportScript(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoteShell([value])}\n`)
    .join('');
}
