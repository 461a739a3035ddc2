import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { ConfigError } from '@talaria/core';
import { defaultPath } from '../sandbox-environment.ts';

/** Absolute paths of the programs that the backend itself starts. */
export interface HostPrograms {
  readonly bash: string;
  readonly mkfifo: string;
  /** Gives background processes a terminal, where it is installed. */
  readonly script: string | null;
}

/** Finds a program in the folders of a `PATH`; `null` where it is not installed. */
export function findProgram(name: string, path: string = defaultPath): string | null {
  return candidates(name, path).find(isExecutable) ?? null;
}

/** Whether a folder of a `PATH` has an entry of this name, executable or not. */
export function isOnPath(name: string, path: string = defaultPath): boolean {
  return candidates(name, path).some((candidate) => existsSync(candidate));
}

function candidates(name: string, path: string): readonly string[] {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name));
}

/** Finds a program that must be there. @throws ConfigError `config.missing-program` */
export function requireProgram(name: string, path: string | undefined): string {
  const found = findProgram(name, path || defaultPath);
  if (found !== null) return found;
  throw new ConfigError(`The local backend needs ${name}, and no folder of PATH has it`, {
    code: 'config.missing-program',
    hint: `Install ${name} (for example: apt-get install bash coreutils), or use a container backend.`,
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Whatever the reason, it cannot be started.
    return false;
  }
}
