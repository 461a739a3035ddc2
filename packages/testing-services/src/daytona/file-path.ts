import { posix } from 'node:path';
import type { ToolboxRequest } from './double-request.ts';
import { runningRoot } from './execute-command.ts';
import { fileError } from './file-errors.ts';
import { homeOf } from './sandbox-record.ts';

/** Relative paths start at the working folder. */
export function sandboxPath({ sandbox }: ToolboxRequest, path: string): string {
  return posix.resolve(homeOf(sandbox), path);
}

/** Where a path of the sandbox is for `node:fs`. */
export function hostPath({ sandbox }: ToolboxRequest, path: string, isLink = false): Promise<string> {
  return runningRoot(sandbox).resolve(path, { isLink });
}

/** Turns errors of the file system into the daemon's. */
export async function onFile<Result>(path: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw fileError(error, path);
  }
}
