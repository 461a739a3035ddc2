import { stat } from 'node:fs/promises';
import { systemErrorCode } from '@talaria/core';
import { isOnPath } from './host-programs.ts';
import type { ChildOutcome } from './run-child.ts';

/** What a shell would say of a program that cannot be started; `null` where the failure is not the caller's. */
export async function explainRefusal(
  error: unknown,
  file: string,
  cwd: string,
  path: string | undefined,
): Promise<ChildOutcome | null> {
  const code =
    typeof error === 'object' && error !== null && 'cause' in error ? systemErrorCode(error.cause) : undefined;
  if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'ENOTDIR') return null;
  const folder = await stat(cwd).catch(() => null);
  if (!folder?.isDirectory()) return refusal(126, `talaria: cannot enter the folder ${cwd}: it does not exist\n`);
  // A folder of the search path that may not be entered gives the same code as a program that may not be run.
  if (code === 'EACCES' && (file.includes('/') || isOnPath(file, path)))
    return refusal(126, `talaria: ${file}: may not be run\n`);
  return refusal(127, `talaria: ${file}: program not found\n`);
}

function refusal(exitCode: number, output: string): ChildOutcome {
  return {
    ending: 'exited',
    exitCode,
    output,
    outputBytes: Buffer.from(output),
    stderr: '',
    truncatedBytes: 0,
    durationMs: 0,
  };
}
