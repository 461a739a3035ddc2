import { type Clock, raceAbort } from '@talaria/core';
import type { SessionOutcome } from './ssh-connection.ts';

/** How long a server may take to answer a start that is not wanted any more. */
const maxAnswerMs = 5_000;

/**
 * Waits for the outcome of a start even when the signal is aborted, so that nothing runs on that nobody knows of; but not
 * as long as a network that was cut takes to be noticed. What comes later than that is let go of.
 */
export async function awaitAnswer(
  starting: Promise<SessionOutcome>,
  signal: AbortSignal | undefined,
  clock: Clock,
): Promise<SessionOutcome> {
  if (signal === undefined) return await starting;
  const impatience = new AbortController();
  let cancel: (() => void) | undefined;
  function hurry(): void {
    cancel = clock.schedule(maxAnswerMs, () => impatience.abort(signal?.reason));
  }
  if (signal.aborted) hurry();
  else signal.addEventListener('abort', hurry, { once: true });
  try {
    return await raceAbort(starting, impatience.signal);
  } catch (error) {
    if (impatience.signal.aborted) starting.then(closeLate, () => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', hurry);
    cancel?.();
  }
}

function closeLate(outcome: SessionOutcome): void {
  if (outcome.kind === 'started') outcome.process.close();
}
