import { isAbortOf } from '@talaria/core';
import type { TransportProcess, TransportRequest } from '../remote/transport.ts';
import { daytonaError } from './daytona-error.ts';
import { followJob } from './follow-job.ts';
import { createJob, dropJob, type Job, newsWords } from './job.ts';
import { createJobInput } from './job-input.ts';
import { keptOutput } from './job-output.ts';
import { type CarriedParts, carryFiles, type JobPlace, tryInBackground } from './job-place.ts';
import { type JobRefusal, type JobReply, readJobReply } from './job-reply.ts';
import { jobScript } from './job-script.ts';
import { supervisorScript } from './supervisor-script.ts';

/** How long the request that starts a job waits for its end. One that needs input waits for the host. */
const startWaitMs = 1_000;
/** How long it may take to kill what was aborted while it was started. */
const maxDropMs = 5_000;

/**
 * Starts a process in a sandbox as a job, see `job-script.ts`. The request that starts it brings the end of a short one.
 * @throws SandboxError `sandbox.failed`, `sandbox.no-space`, `sandbox.lost`
 */
export async function startJob(place: JobPlace, request: TransportRequest): Promise<TransportProcess> {
  const { signal, files = [], hasStdin = false } = request;
  signal?.throwIfAborted();
  const job = createJob(place, request);
  try {
    let reply = await requestStart(job, await carryFiles(place, files, signal));
    if (reply.kind === 'no-variables') {
      place.handsOnVariables = false;
      reply = await requestStart(job, await carryFiles(place, files, signal));
    }
    if (reply.kind !== 'news') throw refusalError(reply.kind);
    return followJob(job, reply, hasStdin ? createJobInput(place, job.id) : null);
  } catch (error) {
    if (isAbortOf(error, signal)) await dropSoon(job);
    throw error;
  }
}

/** Has a job killed that is not wanted any more, and waits for that a little; after this it goes on in the background. */
async function dropSoon(job: Job): Promise<void> {
  const { place } = job;
  const dropping = dropJob(job, 'kill');
  tryInBackground(place, dropping);
  const waiting = new AbortController();
  const limit = place.clock.sleep(maxDropMs, { signal: waiting.signal });
  await Promise.race([dropping, limit]).catch(() => undefined);
  waiting.abort();
  await limit.catch(() => undefined);
}

async function requestStart(job: Job, carried: CarriedParts): Promise<JobReply> {
  const { place, id, request, errors } = job;
  const { words, hasStdin = false, wanted, signal } = request;
  const kept = keptOutput(wanted);
  const waitMs = hasStdin ? 0 : startWaitMs;
  const options = [
    ...newsWords(job, waitMs, false),
    place.finished.splice(0).join(' '),
    supervisorScript,
    place.sessionStarter,
    place.modeMask,
    hasStdin ? '1' : '0',
    errors === null ? '0' : '1',
    ...(kept === null ? ['-', '-'] : [String(kept.headBytes), String(kept.tailBytes)]),
  ];
  return await place.requests.ask(jobScript, ['start', place.folder, id, ...options, ...carried.words, ...words], {
    action: 'start a process',
    waitMs,
    variables: carried.variables,
    read: readJobReply,
    signal,
  });
}

function refusalError(refusal: JobRefusal): unknown {
  const isFull = refusal === 'no-space';
  return daytonaError(
    isFull ? 'The sandbox has no room left to start a process' : `A process could not be started (${refusal})`,
    { phase: 'exec', started: false },
    {
      code: isFull ? 'sandbox.no-space' : 'sandbox.failed',
      hint: 'Remove what is not needed in the sandbox, or give it a larger disk.',
    },
  );
}
