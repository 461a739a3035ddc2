import { chmodSync, closeSync, constants, openSync, readSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
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
  adopt(execId: string): string | null;
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
    adopt(execId) {
      const end = readEnd(endFile, environmentFile(current + 1));
      const [id, folderLine] = end.split('\0');
      if (id !== execId || folderLine === undefined || !folderLine.endsWith('\n')) return null;
      current += 1;
      return folderLine.slice(0, -1);
    },
  };
}

/** A call's id and the longest path that Linux has. */
const maxEndBytes = 8_192;

/**
 * What the last command left; `''` where that cannot be read, since its program may have put anything there.
 *
 * Read at once: a few bytes that were written a moment ago take 20 µs, while each step of an asynchronous read waits for
 * its turn, which under load costs more than the command.
 */
function readEnd(endFile: string, environmentFile: string): string {
  try {
    return readStart(endFile);
  } catch (error) {
    if (systemErrorCode(error) !== 'EACCES') return '';
  }
  // The command left a file mode mask that took the files from their own owner.
  chmodSync(endFile, 0o600);
  chmodSync(environmentFile, 0o600);
  return readStart(endFile);
}

/** Never waits, not even where the file has become a pipe. */
function readStart(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const start = Buffer.alloc(maxEndBytes);
    return start.toString('utf8', 0, readSync(fd, start, 0, maxEndBytes, null));
  } finally {
    closeSync(fd);
  }
}

function exportScript(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoteShell([value])}\n`)
    .join('');
}
