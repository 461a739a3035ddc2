import { type Clock, raceAbort } from '@talaria/core';
import { answerInTime } from './answer-in-time.ts';
import { remoteError } from './remote-error.ts';
import { startOrClose } from './start-or-close.ts';
import type { CarriedFile, SandboxTransport } from './transport.ts';

/** Puts files down, or gives back those that the transport carries with the request that needs them. */
export async function placeFiles(
  place: StateFilePlace,
  files: readonly CarriedFile[],
): Promise<readonly CarriedFile[]> {
  if (place.transport.carriesFiles) return files;
  for (const { path, content } of files) await putStateFile(place, path, content);
  return [];
}

/** Where files of Talaria's own are put, and by what. */
export interface StateFilePlace {
  readonly transport: SandboxTransport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Writes a file of Talaria's own. @throws SandboxError `sandbox.no-space`, `sandbox.timeout` */
export async function putStateFile(
  { transport, clock, signal }: StateFilePlace,
  path: string,
  content: string | Uint8Array,
): Promise<void> {
  if (transport.putFile !== undefined) return await transport.putFile(path, content, signal);
  await answerInTime(transport, { clock, signal }, (limited) => writeByProcess(transport, [path, content], limited));
}

async function writeByProcess(
  transport: SandboxTransport,
  [path, content]: readonly [string, string | Uint8Array],
  signal: AbortSignal,
): Promise<void> {
  const words = ['sh', '-c', 'umask 077; cat >"$1"', 'talaria', path];
  const started = await startOrClose(transport, { words, hasStdin: true, signal });
  try {
    let complaint = '';
    started.stdout.resume();
    started.stderr?.on('data', (chunk) => {
      complaint += chunk;
    });
    started.stdin?.on('error', () => undefined).end(content);
    const exitCode = await raceAbort(started.exited, signal);
    if (exitCode === 0) return;
    throw remoteError(
      transport.kind,
      `Cannot write ${path} in the sandbox: ${complaint.trim() || `exit ${exitCode}`}`,
      {
        code: complaint.includes('No space left') ? 'sandbox.no-space' : 'sandbox.failed',
        phase: 'exec',
        started: false,
        hint: 'The sandbox needs a folder that can be written to, with some room in it.',
      },
    );
  } finally {
    started.close();
  }
}
