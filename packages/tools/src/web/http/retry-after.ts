import { type Clock, retry } from '@talaria/core';
import type { ExchangeAnswer } from './exchange.ts';

/** Longest wait that a server may ask for before the second try, in milliseconds. */
const maxWaitMs = 10_000;

/** The wait where the server names none, in milliseconds. */
const defaultWaitMs = 1_000;

/** The wait that an answer asks for, in milliseconds: `Retry-After` as seconds or as an HTTP date. */
export function retryAfterMsOf(answer: Pick<ExchangeAnswer, 'header'>, nowMs: number): number | undefined {
  const value = answer.header('retry-after')?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1_000;
  // Only the date form of HTTP: Date.parse alone would read "-5" and other nonsense as years.
  const dateMs = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

/**
 * Sends a request that has no effect, and once more after an answer of 429 that asks for 10 s or less. Gives the last
 * answer, whatever it says.
 */
export function retryWhenLimited(
  send: () => Promise<ExchangeAnswer>,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<ExchangeAnswer> {
  return retry(
    async (attempt) => {
      const answer = await send();
      if (attempt > 1 || answer.status !== 429) return answer;
      const waitMs = retryAfterMsOf(answer, clock.now()) ?? defaultWaitMs;
      if (waitMs > maxWaitMs) return answer;
      throw new LimitedAnswer(waitMs);
    },
    {
      attempts: 2,
      isRetryable: (error) => error instanceof LimitedAnswer,
      delayOf: (error) => (error instanceof LimitedAnswer ? error.waitMs : undefined),
      clock,
      signal,
    },
  );
}

/** Never leaves {@link retryWhenLimited}. */
class LimitedAnswer extends Error {
  readonly waitMs: number;

  constructor(waitMs: number) {
    super(`Asked to wait ${waitMs} ms`);
    this.waitMs = waitMs;
  }
}
