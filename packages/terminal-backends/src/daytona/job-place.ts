import { randomBytes } from 'node:crypto';
import { type Clock, errorMessage, type Logger } from '@talaria/core';
import type { CarriedFile } from '../remote/transport.ts';
import { daytonaError } from './daytona-error.ts';
import { placeScript } from './place-script.ts';
import type { SandboxRequests } from './sandbox-requests.ts';

/** Where the jobs of one sandbox are kept. */
export interface JobPlace {
  readonly sandboxId: string;
  /** Folder inside the sandbox. */
  readonly folder: string;
  /** The program that starts a session; `''` where there is none. */
  readonly sessionStarter: string;
  /** File mode mask of the sandbox's user. */
  readonly modeMask: string;
  readonly requests: SandboxRequests;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Jobs of which nothing is needed any more; the next one that starts takes their folders away. */
  readonly finished: string[];
  /** Whether the daemon hands on the variables of a request. */
  handsOnVariables: boolean;
}

/** Finds the folder for jobs. @throws SandboxError `sandbox.failed`, `sandbox.lost` */
export async function openJobPlace(
  parts: Pick<JobPlace, 'sandboxId' | 'requests' | 'clock' | 'logger'>,
  signal: AbortSignal,
): Promise<JobPlace> {
  const found = await parts.requests.ask(placeScript, [randomBytes(8).toString('hex')], {
    action: 'make a folder in the sandbox',
    read: (text) =>
      text.trim() === '' ? {} : (/^place (?<mask>\d+) (?<folder>\/.*)\n(?<starter>.*)$/m.exec(text)?.groups ?? null),
    signal,
  });
  const { folder, mask: modeMask = '022', starter: sessionStarter = '' } = found;
  if (folder !== undefined) return { ...parts, folder, sessionStarter, modeMask, finished: [], handsOnVariables: true };
  throw daytonaError(
    'There is no folder in the sandbox that can be written to',
    { phase: 'create' },
    {
      code: 'sandbox.failed',
      hint: 'The sandbox needs one of /dev/shm, /tmp, /var/tmp and the home, with some room in it.',
    },
  );
}

/** What goes with a request in its variables; a shell takes about 128 KiB for each, and a proxy less for all. */
const maxVariableBytes = 65_536;

/** How files travel: as variables of the request, or, where they are too large for that, before it. */
export interface CarriedParts {
  /** `COUNT PATH...` */
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Makes files ready for a request; large ones are uploaded at once. */
export async function carryFiles(
  place: JobPlace,
  files: readonly CarriedFile[],
  signal?: AbortSignal,
): Promise<CarriedParts> {
  const bytes = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  if (!place.handsOnVariables || bytes > maxVariableBytes) {
    if (files.length > 0) await place.requests.upload(files, signal);
    return { words: ['0'], variables: {} };
  }
  const encoded = files.map(({ content }, index) => [`TALARIA_FILE_${index}`, Buffer.from(content).toString('base64')]);
  return {
    words: [String(files.length), ...files.map(({ path }) => path)],
    variables: Object.fromEntries(encoded),
  };
}

/** Does something in the background that may fail. */
export function tryInBackground({ logger, sandboxId }: JobPlace, work: Promise<unknown>): void {
  work.catch((error: unknown) => logger.debug('sandbox.request-failed', { sandboxId, message: errorMessage(error) }));
}

/** Puts files down now. @throws SandboxError `sandbox.no-space`, `sandbox.lost` */
export async function putCarriedFiles(
  place: JobPlace,
  files: readonly CarriedFile[],
  signal?: AbortSignal,
): Promise<void> {
  if (files.length > 0) await place.requests.upload(files, signal);
}
