import { randomBytes } from 'node:crypto';
import { isAbortOf } from '@talaria/core';
import type { TransportProcess, TransportRequest } from '../remote/transport.ts';
import { daytonaError } from './daytona-error.ts';
import { createJobInput } from './job-input.ts';
import { createFetchedOutput, type FetchedOutput, keptOutput } from './job-output.ts';
import { type CarriedParts, carryFiles, type JobPlace, tryInBackground } from './job-place.ts';
import { type JobNews, type JobReply, readJobReply } from './job-reply.ts';
import { jobScript, supervisorScript } from './job-script.ts';

/** How long requests wait for something to tell, one after the other; the last is for all that follow. */
const waitsMs = [1_000, 2_000, 4_000, 8_000, 15_000];
/** How long the outputs of a job that has exited may take. */
const drainWaitMs = 300;
/** How often output is fetched while a command runs, at most; a process in the background is watched more closely. */
const endsIntervalMs = 1_000;
const latestIntervalMs = 100;
/** A supervisor that has not come up by then never will. */
const maxStartingMs = 30_000;
const killedExit = 137;

/** A job as the host knows it. */
interface Job {
  readonly id: string;
  readonly request: TransportRequest;
  readonly output: FetchedOutput;
  /** `null` where it comes with the output. */
  readonly errors: FetchedOutput | null;
}

/**
 * Starts a process in a sandbox as a job, see `job-script.ts`. The request that starts it brings the end of a short one.
 * @throws SandboxError `sandbox.failed`, `sandbox.no-space`, `sandbox.lost`
 */
export async function startJob(place: JobPlace, request: TransportRequest): Promise<TransportProcess> {
  const { signal, hasStdin = false, wanted, mergesStderr = false } = request;
  signal?.throwIfAborted();
  const job: Job = {
    id: randomBytes(16).toString('hex'),
    request,
    output: createFetchedOutput(wanted),
    errors: mergesStderr ? null : createFetchedOutput(wanted),
  };
  try {
    const news = await requestStart(place, job);
    return followJob(place, job, news, hasStdin ? createJobInput(place, job.id) : null);
  } catch (error) {
    if (isAbortOf(error, signal)) tryInBackground(place, dropJob(place, job.id, 'kill'));
    throw error;
  }
}

async function requestStart(place: JobPlace, job: Job): Promise<JobNews> {
  const { words, files = [], hasStdin = false, wanted, signal } = job.request;
  const kept = keptOutput(wanted);
  const old = place.finished.splice(0);
  const waitMs = hasStdin ? 0 : (waitsMs[0] ?? 0);
  async function ask(carried: CarriedParts): Promise<JobReply> {
    const where = [place.folder, job.id];
    const keep = kept === null ? ['-', '-'] : [String(kept.headBytes), String(kept.tailBytes)];
    const flags = [hasStdin, job.errors !== null].map((flag) => (flag ? '1' : '0'));
    const options = [
      ...pollWords(job, waitMs, false),
      old.join(' '),
      supervisorScript,
      place.sessionStarter,
      place.modeMask,
      ...flags,
      ...keep,
    ];
    return await place.requests.ask(jobScript, ['start', ...where, ...options, ...carried.words, ...words], {
      action: 'start a process',
      waitMs,
      variables: carried.variables,
      read: readJobReply,
      signal,
    });
  }
  let reply = await ask(await carryFiles(place, files, signal));
  if (reply.kind === 'no-variables') {
    place.handsOnVariables = false;
    reply = await ask(await carryFiles(place, files, signal));
  }
  if (reply.kind === 'news') return reply;
  const isFull = reply.kind === 'no-space';
  throw daytonaError(
    isFull ? 'The sandbox has no room left to start a process' : `A process could not be started (${reply.kind})`,
    { phase: 'exec', started: false },
    {
      code: isFull ? 'sandbox.no-space' : 'sandbox.failed',
      hint: 'Remove what is not needed in the sandbox, or give it a larger disk.',
    },
  );
}

/** The words by which a request says what it wants to hear. */
function pollWords({ request, output, errors }: Job, waitMs: number, hasExited: boolean): readonly string[] {
  const { wanted } = request;
  const questions = [output.question(hasExited), errors?.question(hasExited) ?? { at: 0, maxBytes: 0 }];
  const wants = questions.some(({ maxBytes }) => maxBytes > 0);
  const interval = wanted === undefined ? 0 : wanted.kind === 'latest' ? latestIntervalMs : endsIntervalMs;
  const newsAfterMs = wants ? interval : -1;
  const flags = [wanted?.kind === 'latest', keptOutput(wanted) === null].map((flag) => (flag ? 1 : 0));
  const numbers = [waitMs, newsAfterMs, ...flags, ...questions.flatMap(({ at, maxBytes }) => [at, maxBytes])];
  return numbers.map(String);
}

async function dropJob(place: JobPlace, id: string, how: 'kill' | 'leave'): Promise<void> {
  await place.requests.ask(jobScript, ['drop', place.folder, id, how], {
    action: 'let go of a process',
    read: () => true,
  });
}

/** Fetches what a job writes until it has ended, or nobody wants it any more. */
function followJob(place: JobPlace, job: Job, first: JobNews, stdin: TransportProcess['stdin']): TransportProcess {
  const exit = Promise.withResolvers<number | null>();
  const closing = new AbortController();
  const outputs = job.errors === null ? [job.output] : [job.output, job.errors];
  let hasExited = false;

  async function follow(): Promise<void> {
    const startedAtMs = place.clock.monotonicMs();
    let news = first;
    for (let turn = 1; !closing.signal.aborted; turn += 1) {
      take(news);
      const isFetched = outputs.every((output) => output.isComplete);
      if (news.state === 'ended' && isFetched) return;
      if (news.state === 'starting' && place.clock.monotonicMs() - startedAtMs > maxStartingMs)
        return exit.resolve(null);
      await waitUntilOpen();
      const waitMs = !isFetched && news.exitCode !== null ? 0 : (waitsMs[Math.min(turn, waitsMs.length - 1)] ?? 0);
      const reply = await requestNews(
        news.exitCode === null ? waitMs : Math.min(waitMs, drainWaitMs),
        news.exitCode !== null,
      );
      if (reply.kind === 'news') news = reply;
      // A program took the folder away; what it was about is over for the host.
      else return exit.resolve(killedExit);
    }
  }

  function take({ output, errors, exitCode, isFull }: JobNews): void {
    job.output.take(output);
    job.errors?.take(errors);
    if (isFull)
      place.logger.warn('sandbox.output-lost', { sandboxId: place.sandboxId, hint: 'The sandbox has no room left.' });
    if (exitCode !== null) {
      hasExited = true;
      stdin?.destroy();
      exit.resolve(exitCode);
    }
  }

  /** A reader that is slow holds its own output up, not the exit code. */
  async function waitUntilOpen(): Promise<void> {
    const closed = outputs.filter((output) => !output.isOpen);
    if (closed.length === 0) return;
    const drained = Promise.all(closed.map((output) => output.drained()));
    await Promise.race([drained, place.clock.sleep(waitsMs[0] ?? 0, { isBackground: true })]);
  }

  async function requestNews(waitMs: number, hasExited: boolean): Promise<JobReply> {
    const words = ['poll', place.folder, job.id, ...pollWords(job, waitMs, hasExited)];
    return await place.requests.ask(jobScript, words, {
      action: 'hear of a process',
      waitMs,
      read: readJobReply,
      signal: closing.signal,
    });
  }

  function finish(): void {
    exit.resolve(null);
    stdin?.destroy();
    for (const output of outputs) output.end();
  }
  follow()
    .catch(() => undefined)
    .finally(finish);

  return {
    stdin,
    stdout: job.output.stream,
    gaps: job.output.gaps,
    stderr: job.errors?.stream ?? null,
    stderrGaps: job.errors?.gaps,
    exited: exit.promise,
    close() {
      if (closing.signal.aborted) return;
      closing.abort();
      for (const output of outputs) output.stream.destroy();
      stdin?.destroy();
      // One that has exited comes to its end by itself.
      if (hasExited) place.finished.push(job.id);
      else tryInBackground(place, dropJob(place, job.id, 'leave'));
    },
  };
}
