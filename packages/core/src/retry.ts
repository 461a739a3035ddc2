import { isAbortOf } from './abort.ts';
import { type Clock, systemClock } from './clock.ts';
import { isTalariaError } from './errors.ts';

/** Options of {@link retry}. */
export interface RetryOptions {
  /** How often the action runs at most, the first time included. @default 5 */
  readonly attempts?: number | undefined;
  /** Wait before the second attempt; doubled each time, then multiplied by a random factor in [0, 1). @default 1_000 */
  readonly baseDelayMs?: number | undefined;
  /** @default 30_000 */
  readonly maxDelayMs?: number | undefined;
  /** Which errors another attempt may mend. @default errors of Talaria with `retryable` */
  readonly isRetryable?: ((error: unknown) => boolean) | undefined;
  /** A wait that the error itself asks for (`Retry-After`), in milliseconds; it replaces the computed one. */
  readonly delayOf?: ((error: unknown) => number | undefined) | undefined;
  /** Hears of each failed attempt before the wait. */
  readonly onRetry?: ((attempt: number, delayMs: number, error: unknown) => void) | undefined;
  readonly clock?: Clock | undefined;
  /** Uniform in [0, 1). @default Math.random */
  readonly random?: (() => number) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `action` until it succeeds, fails for good, or the attempts are used up; the last error passes through unchanged.
 * Only for actions that have no effect when they fail: never a command, never a tool call.
 */
export async function retry<Value>(
  action: (attempt: number) => Promise<Value>,
  options: RetryOptions = {},
): Promise<Value> {
  const { attempts = 5, clock = systemClock, isRetryable = isMarkedRetryable, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await action(attempt);
    } catch (error) {
      if (isAbortOf(error, signal) || attempt >= attempts || !isRetryable(error)) throw error;
      const delayMs = options.delayOf?.(error) ?? backoffMs(attempt, options);
      options.onRetry?.(attempt, delayMs, error);
      await clock.sleep(delayMs, { signal });
    }
  }
}

/** Full-jitter exponential backoff: uniform in [0, min(max, base · 2^(attempt − 1))). */
export function backoffMs(
  attempt: number,
  options: Pick<RetryOptions, 'baseDelayMs' | 'maxDelayMs' | 'random'> = {},
): number {
  const { baseDelayMs = 1_000, maxDelayMs = 30_000, random = Math.random } = options;
  return random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
}

function isMarkedRetryable(error: unknown): boolean {
  return isTalariaError(error) && error.retryable;
}
