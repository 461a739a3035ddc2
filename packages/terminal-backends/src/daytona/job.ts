import { randomBytes } from 'node:crypto';
import type { TransportRequest } from '../remote/transport.ts';
import { createFetchedOutput, type FetchedOutput, keptOutput } from './job-output.ts';
import type { JobPlace } from './job-place.ts';
import { type JobReply, readJobReply } from './job-reply.ts';
import { jobScript } from './job-script.ts';

/** A process inside a sandbox as the host knows it, see `job-script.ts`. */
export interface Job {
  readonly id: string;
  readonly place: JobPlace;
  readonly request: TransportRequest;
  readonly output: FetchedOutput;
  /** `null` where it comes with the output. */
  readonly errors: FetchedOutput | null;
}

/** How often output is fetched while a command runs, at most; a process in the background is watched more closely. */
const endsIntervalMs = 1_000;
const latestIntervalMs = 100;

/** Names a new one. */
export function createJob(place: JobPlace, request: TransportRequest): Job {
  const { wanted, mergesStderr = false } = request;
  return {
    id: randomBytes(16).toString('hex'),
    place,
    request,
    output: createFetchedOutput(wanted),
    errors: mergesStderr ? null : createFetchedOutput(wanted),
  };
}

/** Waits until there is something to tell of a job, and fetches its next output. */
export async function askForNews(
  job: Job,
  question: { readonly waitMs: number; readonly hasExited: boolean },
  signal: AbortSignal,
): Promise<JobReply> {
  const { place, id } = job;
  const { waitMs, hasExited } = question;
  return await place.requests.ask(jobScript, ['poll', place.folder, id, ...newsWords(job, waitMs, hasExited)], {
    action: 'hear of a process',
    waitMs,
    read: readJobReply,
    signal,
  });
}

/** The words by which a request says what it wants to hear. */
export function newsWords({ request, output, errors }: Job, waitMs: number, hasExited: boolean): readonly string[] {
  const { wanted } = request;
  const questions = [output.question(hasExited), errors?.question(hasExited) ?? { at: 0, maxBytes: 0 }];
  const wants = questions.some(({ maxBytes }) => maxBytes > 0);
  const intervalMs = wanted === undefined ? 0 : wanted.kind === 'latest' ? latestIntervalMs : endsIntervalMs;
  const newsAfterMs = wants ? intervalMs : -1;
  const flags = [wanted?.kind === 'latest', keptOutput(wanted) === null].map((flag) => (flag ? 1 : 0));
  const numbers = [waitMs, newsAfterMs, ...flags, ...questions.flatMap(({ at, maxBytes }) => [at, maxBytes])];
  return numbers.map(String);
}

/** Lets go of a job, or has it killed; one that has not begun yet never does. */
export async function dropJob({ place, id }: Job, how: 'kill' | 'leave'): Promise<void> {
  await place.requests.ask(jobScript, ['drop', place.folder, id, how], {
    action: 'let go of a process',
    read: () => true,
  });
}
