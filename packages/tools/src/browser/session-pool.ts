import { createSemaphore, openOrDiscard } from '@talaria/core';
import type { BrowserSession } from './browser-driver.ts';
import { BrowserError } from './browser-error.ts';

/** The sessions of a driver: how many are open at a time, and which. Disposing of it closes them all. */
export interface SessionPool extends AsyncDisposable {
  /**
   * Waits for a place and opens a session in it. The session calls `leave` when it was disposed of, which may be as soon as
   * it is there: one that comes after the abort is closed at once, and keeps its place until then.
   *
   * @throws BrowserError `not_available` after disposal; rejects with the signal's reason, else as `create` does
   */
  open(create: (leave: () => void) => Promise<BrowserSession>, signal: AbortSignal): Promise<BrowserSession>;
}

/** Creates a pool of `maxSessions` places: a positive integer, or `Infinity`. */
export function createSessionPool(maxSessions: number): SessionPool {
  const places = createSemaphore(maxSessions);
  const sessions = new Set<BrowserSession>();
  let isDisposed = false;

  async function openIn(place: Disposable, create: Parameters<SessionPool['open']>[0]): Promise<BrowserSession> {
    let session: BrowserSession | undefined;
    const leave = (): void => {
      if (session !== undefined) sessions.delete(session);
      place[Symbol.dispose]();
    };
    try {
      if (isDisposed) throw shutDown();
      session = await create(leave);
    } catch (error) {
      leave();
      throw error;
    }
    sessions.add(session);
    if (!isDisposed) return session;
    await session[Symbol.asyncDispose]();
    throw shutDown();
  }

  return {
    async open(create, signal) {
      const place = await places.acquire(signal);
      // Nothing is created then, which would leave it.
      if (signal.aborted) place[Symbol.dispose]();
      return await openOrDiscard(() => openIn(place, create), signal);
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      await Promise.allSettled([...sessions].map((session) => session[Symbol.asyncDispose]()));
    },
  };
}

function shutDown(): BrowserError {
  return new BrowserError('not_available', 'The browser was shut down.');
}
