import { systemClock } from './clock.ts';
import { errorMessage } from './errors.ts';
import { type Logger, silentLogger } from './logger.ts';

/** Things to close, newest first. Stands in for `AsyncDisposableStack`, which Node 22 lacks. */
export interface DisposalStack extends AsyncDisposable {
  /** Closes `resource` when the stack is disposed of; returns it. */
  use<Resource extends AsyncDisposable | Disposable>(resource: Resource): Resource;
  /** Calls `action` when the stack is disposed of. */
  defer(action: () => void | Promise<void>): void;
}

/** Options of {@link createDisposalStack}. */
export interface DisposalStackOptions {
  /** Hears of each action that failed. @default silent */
  readonly logger?: Logger | undefined;
  /** How long one action may take before it is left alone. @default 30_000 */
  readonly timeoutMs?: number | undefined;
}

/** Creates an empty stack. Disposing is idempotent, bounded in time, never throws, and runs every action. */
export function createDisposalStack(options: DisposalStackOptions = {}): DisposalStack {
  const { logger = silentLogger, timeoutMs = 30_000 } = options;
  const actions: (() => void | Promise<void>)[] = [];
  let disposal: Promise<void> | undefined;

  async function disposeAll(): Promise<void> {
    for (let action = actions.pop(); action !== undefined; action = actions.pop()) {
      await settleWithin(action, timeoutMs, logger);
    }
  }

  return {
    use(resource) {
      actions.push(() =>
        Symbol.asyncDispose in resource ? Promise.resolve(resource[Symbol.asyncDispose]()) : resource[Symbol.dispose](),
      );
      return resource;
    },
    defer(action) {
      actions.push(action);
    },
    [Symbol.asyncDispose]() {
      disposal ??= disposeAll();
      return disposal;
    },
  };
}

/** Runs a best-effort clean-up: waits at most `timeoutMs`, logs a failure, never throws. */
export async function settleWithin(
  action: () => void | Promise<void>,
  timeoutMs: number,
  logger: Logger,
): Promise<'done' | 'failed' | 'timed-out'> {
  const timeout = new AbortController();
  try {
    const work = Promise.resolve(action()).then(() => 'done' as const);
    const limit = systemClock.sleep(timeoutMs, { signal: timeout.signal }).then(
      () => 'timed-out' as const,
      () => 'done' as const,
    );
    const outcome = await Promise.race([work, limit]);
    if (outcome === 'timed-out') {
      work.catch((error: unknown) => logger.warn('dispose.failed-late', { message: errorMessage(error) }));
      logger.warn('dispose.timed-out', { timeoutMs });
    }
    return outcome;
  } catch (error) {
    logger.warn('dispose.failed', { message: errorMessage(error) });
    return 'failed';
  } finally {
    timeout.abort();
  }
}
