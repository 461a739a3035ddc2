import {
  type Clock,
  type Deadline,
  isAbortOf,
  type Logger,
  ModelError,
  openDeadline,
  type RandomSource,
  retry,
  type Secret,
} from '@talaria/core';
import type { RateLimiter, RequestSlot } from '../rate-limiter.ts';
import { AnswerProblem, type Problem } from './answer-problem.ts';
import { explainProblem, isRepeatable, timeoutError } from './explain-problem.ts';
import type { ProblemContext } from './explanation.ts';

/** What sending depends on, for all requests of one model. */
export interface SenderOptions {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: Secret | null;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: Logger;
}

/** One sending of a request: holds its place at the limiter and its deadline until it is disposed of. */
export interface Sending extends Disposable {
  /** 1 for the first. */
  readonly attempt: number;
  /** Aborted by the caller or by the time-out. */
  readonly signal: AbortSignal;
  /** Keeps the provider's identifier, for errors. */
  requestId: string | null;
  /** Tells the limiter that the endpoint answered. */
  succeeded(): void;
  /** What to throw for `error`: the caller's reason, a typed error, or `error` itself where it is not of the endpoint. */
  explain(error: unknown, hasGivenOut: boolean): unknown;
}

/** A failed sending, on its way to the retry. */
class FailedSending extends Error {
  readonly reason: unknown;
  readonly problem: Problem | undefined;

  constructor(reason: unknown, problem: Problem | undefined) {
    super('The request failed');
    this.name = 'FailedSending';
    this.reason = reason;
    this.problem = problem;
  }
}

/**
 * Sends a request until `use` has what it needs, and hands over the sending that succeeded: the caller disposes of it.
 * Repeats after 408, 409, 429, 5xx and broken connections, never after a time-out.
 */
export async function sendRequest<Result>(
  options: SenderOptions,
  signal: AbortSignal,
  use: (sending: Sending) => Promise<Result>,
): Promise<{ readonly result: Result; readonly sending: Sending }> {
  let waitedMs = 0;
  const waitOf = (error: unknown): number | undefined =>
    error instanceof FailedSending ? askedWaitMs(error) : undefined;
  try {
    return await retry((attempt) => sendOnce(options, signal, attempt, use), {
      attempts: options.maxRetries + 1,
      clock: options.clock,
      random: options.random,
      signal,
      isRetryable: (error) =>
        error instanceof FailedSending &&
        error.problem !== undefined &&
        isRepeatable(error.problem) &&
        waitedMs + (waitOf(error) ?? 0) <= options.timeoutMs,
      // A little later than asked, so that all who were told the same do not come back at the same instant.
      delayOf: (error) => {
        const askedMs = waitOf(error);
        return askedMs === undefined ? undefined : askedMs + options.random() * Math.min(1_000, askedMs / 10);
      },
      onRetry(attempt, delayMs, error) {
        waitedMs += delayMs;
        const reason = error instanceof FailedSending ? error.reason : undefined;
        const facts = reason instanceof ModelError ? { code: reason.code, status: reason.status } : {};
        options.logger.warn('model.retry', { model: options.model, attempt, delayMs, ...facts });
      },
    });
  } catch (error) {
    if (!(error instanceof FailedSending)) throw error;
    throw patienceError(error, waitOf(error), options.timeoutMs - waitedMs) ?? error.reason;
  }
}

async function sendOnce<Result>(
  options: SenderOptions,
  signal: AbortSignal,
  attempt: number,
  use: (sending: Sending) => Promise<Result>,
): Promise<{ readonly result: Result; readonly sending: Sending }> {
  const slot = await options.limiter.acquire(signal);
  const deadline = openDeadline(options.clock, options.timeoutMs, signal);
  const sending = openSending(options, signal, attempt, slot, deadline);
  try {
    return { result: await use(sending), sending };
  } catch (error) {
    const problem = error instanceof AnswerProblem ? error.problem : undefined;
    const reason = sending.explain(error, false);
    if (isThrottling(problem)) {
      const pauseMs = problem.retryAfterMs;
      // Nobody waits for a server that asks for more patience than there is.
      slot.throttled(pauseMs !== undefined && pauseMs <= options.timeoutMs ? pauseMs : 0);
      options.logger.warn('model.throttled', { model: options.model, limit: options.limiter.limit, pauseMs });
    }
    sending[Symbol.dispose]();
    throw isAbortOf(reason, signal) ? reason : new FailedSending(reason, deadline.isExpired() ? undefined : problem);
  }
}

function openSending(
  options: SenderOptions,
  signal: AbortSignal,
  attempt: number,
  slot: RequestSlot,
  deadline: Deadline,
): Sending {
  const { apiKey, baseUrl, model, timeoutMs } = options;
  const sending: Sending = {
    attempt,
    signal: deadline.signal,
    requestId: null,
    succeeded: () => slot.succeeded(),
    explain(error, hasGivenOut) {
      if (signal.aborted) return signal.reason;
      const { requestId } = sending;
      const context: ProblemContext = { apiKey, baseUrl, model, attempts: attempt, requestId, hasGivenOut };
      if (deadline.isExpired()) return timeoutError(timeoutMs, context);
      return error instanceof AnswerProblem ? explainProblem(error.problem, context) : error;
    },
    [Symbol.dispose]() {
      deadline[Symbol.dispose]();
      slot[Symbol.dispose]();
    },
  };
  return sending;
}

function isThrottling(problem: Problem | undefined): problem is Extract<Problem, { readonly kind: 'refused' }> {
  return problem?.kind === 'refused' && (problem.status === 429 || problem.status === 529);
}

/** What the server asks to wait; a wait of nothing leaves the pace to the client. */
function askedWaitMs(error: FailedSending): number | undefined {
  const askedMs = error.problem?.kind === 'refused' ? error.problem.retryAfterMs : undefined;
  return askedMs === 0 ? undefined : askedMs;
}

/** The error of a call that gave up because the server asks for a longer wait than is left; undefined for other reasons. */
function patienceError(error: FailedSending, askedMs: number | undefined, leftMs: number): ModelError | undefined {
  const { reason } = error;
  if (askedMs === undefined || askedMs <= leftMs || !(reason instanceof ModelError) || !reason.retryable)
    return undefined;
  const { attempts, bodyExcerpt, code, message, requestId, retryable, status } = reason;
  return new ModelError(`${message}; it asks to wait ${askedMs} ms, and only ${Math.max(0, leftMs)} ms are left`, {
    code,
    hint: 'Run again after that time, raise the time-out, or use another key or model.',
    retryable,
    status,
    requestId,
    attempts,
    bodyExcerpt,
    cause: reason,
  });
}
