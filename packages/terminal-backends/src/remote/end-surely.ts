import { type Clock, openDeadline } from '@talaria/core';

/** How long what was ended may take to be seen to have ended, before it is ended again. */
const pauseMs = 1_000;
const maxAttempts = 5;
/** All attempts, beside the grace time: one may hang as long as the backend does. */
const maxTotalMs = 60_000;

/**
 * Ends something and waits until it is seen to have ended: about five seconds where the backend answers, one minute and
 * `graceMs` at most, if `end` ends with the signal that it gets: what it has begun and cannot take back is waited for. What had not begun yet bears no mark that it could be found by, and begins right after: so it is ended
 * again. Gives whether the end was seen.
 */
export async function endSurely(
  end: (signal: AbortSignal) => Promise<unknown>,
  ended: Promise<unknown>,
  { clock, graceMs = 0 }: { readonly clock: Clock; readonly graceMs?: number | undefined },
): Promise<boolean> {
  const seen = ended.then(
    () => true,
    () => true,
  );
  using deadline = openDeadline(clock, maxTotalMs + graceMs, undefined);
  for (let attempt = 0; attempt < maxAttempts && !deadline.isExpired(); attempt += 1) {
    try {
      await end(deadline.signal);
    } catch (error) {
      if (!deadline.isExpired()) throw error;
    }
    if (!deadline.isExpired() && (await isSeenSoon(seen, clock))) return true;
  }
  return await Promise.race([seen, Promise.resolve(false)]);
}

async function isSeenSoon(seen: Promise<boolean>, clock: Clock): Promise<boolean> {
  const waiting = new AbortController();
  const pause = clock.sleep(pauseMs, { signal: waiting.signal }).then(
    () => false,
    () => false,
  );
  const isSeen = await Promise.race([seen, pause]);
  waiting.abort();
  return isSeen;
}
