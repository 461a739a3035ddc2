import type { Clock } from '@talaria/core';
import type { Sandbox, SandboxHandle } from './sandbox.ts';

/** Watches whether anybody uses a sandbox. */
export interface IdleWatch extends Disposable {
  /** The same sandbox; what is called on it counts as use until it is done, and a background process until it ends. */
  readonly handle: SandboxHandle;
}

/** Calls `onIdle` once, when nothing has used the sandbox for `idleMs` (counted from the end of the last use). */
export function watchIdle(sandbox: Sandbox, idleMs: number, clock: Clock, onIdle: () => void): IdleWatch {
  let useCount = 0;
  let cancel = clock.schedule(idleMs, onIdle);

  function begin(): void {
    useCount += 1;
    cancel();
  }
  function end(): void {
    useCount -= 1;
    if (useCount === 0) cancel = clock.schedule(idleMs, onIdle);
  }
  async function whileIn(use: Promise<unknown>): Promise<void> {
    begin();
    try {
      await untilUnused(await use);
    } catch {
      // Whoever called hears of it.
    } finally {
      end();
    }
  }

  const handle = new Proxy<SandboxHandle>(sandbox, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const result: unknown = value.apply(target, args);
        if (result instanceof Promise) void whileIn(result);
        return result;
      };
    },
  });
  return {
    handle,
    [Symbol.dispose]() {
      useCount = Number.POSITIVE_INFINITY;
      cancel();
    },
  };
}

/** A background process, or a stream, is in use until it has ended. */
async function untilUnused(result: unknown): Promise<void> {
  if (typeof result !== 'object' || result === null) return;
  if ('wait' in result && typeof result.wait === 'function') await result.wait();
  if ('once' in result && typeof result.once === 'function') {
    const { once } = result;
    await new Promise((resolve) => once.call(result, 'close', resolve));
  }
}
