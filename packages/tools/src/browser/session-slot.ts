import { createSemaphore, errorMessage, openOrDiscard, settleWithin, silentLogger } from '@talaria/core';
import type { ToolStateKey } from '../tool-state.ts';
import type { BrowserDriver, BrowserSession } from './browser-driver.ts';
import { BrowserError } from './browser-error.ts';

/** The browser of a rollout: none until it is needed, then one. Disposing of it closes the session, whatever it does. */
export interface SessionSlot extends AsyncDisposable {
  /** Waits until no other call uses the browser; dispose of the result to let the next one in. */
  enter(signal: AbortSignal): Promise<Disposable>;
  /** The session that is open; `undefined` where there is none, or where it ended by itself. */
  current(): Promise<BrowserSession | undefined>;
  /** The session that is open, or a new one. @throws BrowserError; rejects with the signal's reason */
  open(signal: AbortSignal): Promise<BrowserSession>;
  /** Closes the session; gives whether there was one. */
  close(): Promise<boolean>;
  /** The snapshot whose first part was shown last, to give the parts after it. */
  shownSnapshot: { readonly text: string; readonly isFull: boolean; readonly elementCount: number } | undefined;
}

/** How long a session may take to close before it is left to its driver. */
const closeLimitMs = 15_000;

/** Names the browser of a rollout in its state. One key per driver: whoever shares a state shares the browser. */
export function createSessionKey(driver: BrowserDriver): ToolStateKey<SessionSlot> {
  return { name: `browser-session:${driver.name}`, create: () => createSessionSlot(driver) };
}

function createSessionSlot(driver: BrowserDriver): SessionSlot {
  const turns = createSemaphore(1);
  const ending = new AbortController();
  let session: BrowserSession | undefined;
  let opening: Promise<unknown> = Promise.resolve();

  async function close(): Promise<boolean> {
    const closed = session;
    session = undefined;
    slot.shownSnapshot = undefined;
    if (closed === undefined) return false;
    await settleWithin(async () => closed[Symbol.asyncDispose](), closeLimitMs, silentLogger);
    return true;
  }

  async function current(): Promise<BrowserSession | undefined> {
    if (session?.isLost === true) await close();
    return session;
  }

  async function openNew(signal: AbortSignal): Promise<BrowserSession> {
    const joined = AbortSignal.any([signal, ending.signal]);
    const opened = await openOrDiscard(() => {
      const creation = driver.open({ signal: joined });
      opening = creation.catch((error: unknown) => errorMessage(error));
      return creation;
    }, joined);
    session = opened;
    return opened;
  }

  const slot: SessionSlot = {
    shownSnapshot: undefined,
    enter: (signal) => turns.acquire(AbortSignal.any([signal, ending.signal])),
    current,
    open: async (signal) => (await current()) ?? (await openNew(signal)),
    close,
    async [Symbol.asyncDispose]() {
      ending.abort(new BrowserError('interrupted', 'The browser was closed, since the rollout ended.'));
      await settleWithin(async () => void (await opening), closeLimitMs, silentLogger);
      await close();
    },
  };
  return slot;
}
