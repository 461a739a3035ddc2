import { EventEmitter } from 'node:events';
import type { Playwright } from '@talaria/tools/browser/playwright';

/** Calls of the package that a test can hold back or let fail. */
export type FakeCall = 'newContext' | 'newPage' | 'route' | 'newBrowserCDPSession';

/** What stands in for the package: it counts contexts, and does nothing at all. */
export interface FakePlaywright {
  readonly playwright: Playwright;
  readonly opened: number;
  readonly closed: number;
  readonly browsersClosed: number;
  /** Resolves when a call has come, which then waits for `release`. */
  hold(call: FakeCall): { readonly reached: Promise<void>; release(): void };
  /** Lets a call fail from now on. */
  fail(call: FakeCall): void;
}

/** Creates it. */
export function createFakePlaywright(): FakePlaywright {
  const gates = new Map<FakeCall, { reach: () => void; open: Promise<void> }>();
  const failing = new Set<FakeCall>();
  let opened = 0;
  let closed = 0;
  let browsersClosed = 0;

  async function pass(call: FakeCall): Promise<void> {
    const gate = gates.get(call);
    gate?.reach();
    await gate?.open;
    if (failing.has(call)) throw new Error(`${call} fails`);
  }

  function newPage(context: EventEmitter): EventEmitter {
    const page = Object.assign(new EventEmitter(), { close: async () => void page.emit('close') });
    context.emit('page', page);
    return page;
  }

  function newContext(): EventEmitter {
    opened += 1;
    const context: EventEmitter = Object.assign(new EventEmitter(), {
      addInitScript: async () => undefined,
      route: () => pass('route'),
      routeWebSocket: async () => undefined,
      pages: () => [],
      newPage: async () => {
        await pass('newPage');
        return newPage(context);
      },
      close: async () => {
        closed += 1;
        context.emit('close');
      },
    });
    return context;
  }

  const browser = Object.assign(new EventEmitter(), {
    version: () => '1',
    isConnected: () => true,
    newBrowserCDPSession: async () => {
      await pass('newBrowserCDPSession');
      return Object.assign(new EventEmitter(), { send: async () => undefined });
    },
    newContext: async () => {
      await pass('newContext');
      return newContext();
    },
    close: async () => {
      browsersClosed += 1;
      browser.emit('disconnected');
    },
  });
  return {
    // Only what a driver calls before its first page is there.
    playwright: { chromium: { launch: async () => browser } } as unknown as Playwright,
    get opened() {
      return opened;
    },
    get closed() {
      return closed;
    },
    get browsersClosed() {
      return browsersClosed;
    },
    hold(call) {
      const reached = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      gates.set(call, { reach: reached.resolve, open: gate.promise });
      return {
        reached: reached.promise,
        release() {
          gates.delete(call);
          gate.resolve();
        },
      };
    },
    fail: (call) => void failing.add(call),
  };
}
