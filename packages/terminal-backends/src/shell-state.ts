import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { quoteShell, systemErrorCode } from '@talaria/core';
import type { SavePlace } from './shell-wrapper.ts';

/** The shell state of one sandbox, between its commands: files that the wrapper reads and writes. */
export interface ShellState {
  /**
   * Tells where the next command finds the state and where it saves. Where an earlier command took the state away, there
   * is the first one again, so that a sandbox is never without its `PATH`.
   */
  prepare(): ShellStatePlaces;
  /**
   * Takes over what the command saved and gives its working folder. `null` where it saved nothing whole (it was killed,
   * replaced its shell, or has an EXIT trap of its own): the state before stays.
   */
  adopt(execId: string): string | null;
}

/** Where one command finds the state and where it saves. */
export interface ShellStatePlaces {
  /** Script that brings the state back. */
  readonly loadFrom: string;
  readonly saveTo: SavePlace;
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
  const firstState = exportScript(variables);
  const endFile = join(folder, 'end');
  let current = 0;

  function environmentFile(index: number): string {
    return join(folder, `environment-${index % fileCount}`);
  }

  function startAgain(): void {
    giveRights(dirname(folder), 0o700);
    giveRights(folder, 0o700);
    if (isFile(environmentFile(current))) return;
    clearTheWay(environmentFile(current));
    writeFileSync(environmentFile(current), firstState, { mode: 0o600 });
  }

  await writeFile(environmentFile(current), firstState, { mode: 0o600 });
  return {
    prepare() {
      if (!isFile(environmentFile(current))) startAgain();
      const saveTo = { environmentFile: environmentFile(current + 1), endFile };
      clearTheWay(saveTo.environmentFile);
      clearTheWay(saveTo.endFile);
      return { loadFrom: environmentFile(current), saveTo };
    },
    adopt(execId) {
      const [id, folderLine] = readEnd(endFile, environmentFile(current + 1)).split('\0');
      if (id !== execId || folderLine === undefined || !folderLine.endsWith('\n')) return null;
      current += 1;
      return folderLine.slice(0, -1);
    },
  };
}

/** Not by a link: what is at its end is no state of ours. */
function isFile(path: string): boolean {
  return lookAt(path)?.isFile() ?? false;
}

/** Removes what a program has put in the place of a file. */
function clearTheWay(path: string): void {
  if (lookAt(path)?.isFile() === false) rmSync(path, { recursive: true, force: true });
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // Whatever the system says against it: no shell can use it either.
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** A program may have taken the rights away, or the whole path. */
function giveRights(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
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
  const end = readStart(endFile);
  if (end !== null) return end;
  // The command left a file mode mask that took the files from their own owner.
  giveRights(endFile, 0o600);
  giveRights(environmentFile, 0o600);
  return readStart(endFile) ?? '';
}

/** Never waits, not even where the file has become a pipe. `null` where it may not be read. */
function readStart(path: string): string | null {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const start = Buffer.alloc(maxEndBytes);
      return start.toString('utf8', 0, readSync(fd, start, 0, maxEndBytes, null));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return code === 'EACCES' ? null : '';
  }
}

function exportScript(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoteShell([value])}\n`)
    .join('');
}
