import type { Clock } from '@talaria/core';

/** How long what was ended may take to be seen to have ended, before it is ended again. */
const pauseMs = 1_000;
const maxAttempts = 5;

/**
 * Ends something and waits until it is seen to have ended, at most about five seconds. What had not begun yet bears no
 * mark that it could be found by, and begins right after: so it is ended again. Gives whether the end was seen.
 */
export async function endSurely(end: () => Promise<unknown>, ended: Promise<unknown>, clock: Clock): Promise<boolean> {
  const seen = ended.then(
    () => true,
    () => true,
  );
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    await end();
    const waiting = new AbortController();
    const pause = clock.sleep(pauseMs, { signal: waiting.signal }).then(
      () => false,
      () => false,
    );
    const isSeen = await Promise.race([seen, pause]);
    waiting.abort();
    if (isSeen) return true;
  }
  return false;
}
