import { setMaxListeners } from 'node:events';
import type { Sandbox } from '@daytona/sdk';
import { type Clock, openDeadline, quoteShell, raceAbort, retry } from '@talaria/core';
import type { CarriedFile } from '../remote/transport.ts';
import { daytonaError, explainDaytonaError, judgeFailure, lostError, readDaytonaFailure } from './daytona-error.ts';

/** What requests to one sandbox need. */
export interface SandboxRequestsParts {
  readonly sandbox: Sandbox;
  readonly apiUrl: string;
  readonly clock: Clock;
}

/** Options of {@link SandboxRequests.ask}. */
export interface AskOptions<Reply> {
  /** Completes "Daytona cannot …". */
  readonly action: string;
  /** How long the script itself may wait. @default 0 */
  readonly waitMs?: number | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Reads what the script wrote; `null` where that is not whole, and then it is asked again. */
  readonly read: (text: string) => Reply | null;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Requests to the daemon of one sandbox. Each can be sent again without harm, and is, when its answer got lost, came from
 * a service that was busy, or was not whole.
 */
export interface SandboxRequests {
  /** Runs a script, called with these words, and reads its answer. @throws SandboxError `sandbox.lost`, `sandbox.failed` */
  ask<Reply>(script: string, words: readonly string[], options: AskOptions<Reply>): Promise<Reply>;
  /** Writes files, by the daemon itself. @throws SandboxError `sandbox.lost`, `sandbox.no-space`, `sandbox.failed` */
  upload(files: readonly CarriedFile[], signal?: AbortSignal): Promise<void>;
  /** Whether the sandbox runs. Never throws. */
  isAlive(signal?: AbortSignal): Promise<boolean>;
  /** Sends nothing any more; once the sandbox is gone, `settle` waits for what is still under way. */
  stop(): void;
  settle(): Promise<void>;
}

const attempts = 8;
const baseDelayMs = 250;
const maxDelayMs = 5_000;
/** What a request may take beside the time that its script waits. */
const marginSeconds = 10;
const uploadSeconds = 300;
/** With all attempts. */
const maxAliveCheckMs = 20_000;

/** An answer that broke off. */
class TornAnswer extends Error {
  constructor(text: string) {
    super(`The answer makes no sense: ${JSON.stringify(text.slice(0, 300))}`);
    this.name = 'TornAnswer';
  }
}

/** Creates them. */
export function createSandboxRequests({ sandbox, apiUrl, clock }: SandboxRequestsParts): SandboxRequests {
  const underway = new Set<Promise<unknown>>();
  const stopping = new AbortController();
  // Every request under way listens.
  setMaxListeners(0, stopping.signal);

  /** The SDK cannot break off a request: whoever gives up leaves it to `settle`. */
  async function once<Value>(work: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
    const working = work();
    underway.add(working);
    const forget = () => underway.delete(working);
    working.then(forget, forget);
    return await raceAbort(working, signal);
  }

  async function persist<Value>(
    action: string,
    callerSignal: AbortSignal | undefined,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const signal = callerSignal === undefined ? stopping.signal : AbortSignal.any([callerSignal, stopping.signal]);
    try {
      return await retry(() => once(work, signal), {
        attempts,
        baseDelayMs,
        maxDelayMs,
        clock,
        signal,
        isRetryable,
        delayOf: (error) => readDaytonaFailure(error)?.retryAfterMs ?? undefined,
      });
    } catch (error) {
      if (error instanceof TornAnswer) throw tornError(action, error);
      throw explainDaytonaError(error, { action, phase: 'exec', started: true, apiUrl, signal });
    }
  }

  return {
    async ask(script, words, { action, waitMs = 0, variables, read, signal }) {
      // By `sh`, whatever shell the daemon has found in the image.
      const command = `exec ${quoteShell(['sh', '-c', 'eval "$1"', 'talaria', script, ...words])}`;
      const seconds = Math.ceil(waitMs / 1_000) + marginSeconds;
      return await persist(action, signal, async () => {
        const { result } = await sandbox.process.executeCommand(command, '/', { ...variables }, seconds);
        const reply = read(result);
        if (reply === null) throw new TornAnswer(result);
        return reply;
      });
    },
    async upload(files, signal) {
      try {
        await persist('write files into the sandbox', signal, () =>
          sandbox.fs.uploadFiles(
            files.map(({ path, content }) => ({ source: Buffer.from(content), destination: path })),
            uploadSeconds,
          ),
        );
      } catch (error) {
        throw /no space left|quota exceeded/i.test(String(error)) ? fullError(error) : error;
      }
    },
    async isAlive(signal) {
      using deadline = openDeadline(clock, maxAliveCheckMs, signal);
      try {
        await persist('look at the sandbox', deadline.signal, () => sandbox.refreshData());
        return sandbox.state === 'started';
      } catch {
        // Gone, or nobody there to ask: either way it cannot be used.
        return false;
      }
    },
    stop() {
      stopping.abort(lostError(sandbox.name, 'exec'));
    },
    async settle() {
      await Promise.allSettled(underway);
    },
  };
}

function isRetryable(error: unknown): boolean {
  if (error instanceof TornAnswer) return true;
  const failure = readDaytonaFailure(error);
  if (failure === null) return false;
  const kind = judgeFailure(failure);
  return kind === 'unclear' || kind === 'unreachable' || kind === 'rate-limited';
}

function tornError(action: string, cause: Error): unknown {
  return daytonaError(
    `Daytona cannot ${action}: ${cause.message}`,
    { phase: 'exec', started: true },
    {
      code: 'sandbox.failed',
      hint: 'The sandbox needs sh, base64, dd, head, mkfifo, tail and wc (coreutils or BusyBox).',
      cause,
    },
  );
}

function fullError(cause: unknown): unknown {
  return daytonaError(
    'The sandbox has no room left',
    { phase: 'transfer' },
    {
      code: 'sandbox.no-space',
      hint: 'Remove what is not needed in the sandbox, or give it a larger disk.',
      cause,
    },
  );
}
