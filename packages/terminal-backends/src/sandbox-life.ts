import { setMaxListeners } from 'node:events';
import { type Clock, type Logger, SandboxError, settleWithin } from '@talaria/core';
import type { BackendKind } from './sandbox.ts';

type Phase = SandboxError['phase'];

/** What the life of a sandbox needs to know. */
export interface SandboxLifeParts {
  readonly kind: BackendKind;
  readonly id: string;
  readonly maxLifetimeMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends every process when the lifetime is over. */
  readonly onExpire: () => Promise<void>;
  /** Gives a failure of a use the error that tells why, for example that the sandbox is gone. Aborts do not get here. */
  readonly explain: (error: unknown, phase: Phase) => Promise<unknown>;
}

/** How long work that is under way may take to notice that its sandbox ends. */
const maxSettleMs = 15_000;

/** The life of one sandbox: its uses, its lifetime, its end. */
export class SandboxLife {
  readonly #parts: SandboxLifeParts;
  readonly #ending = new AbortController();
  readonly #inFlight = new Set<Promise<unknown>>();
  #hasExpired = false;
  #disposal: Promise<void> | undefined;

  constructor(parts: SandboxLifeParts) {
    this.#parts = parts;
    // Every call under way listens, and there may be many.
    setMaxListeners(0, this.#ending.signal);
    parts.clock
      .sleep(parts.maxLifetimeMs, { isBackground: true, signal: this.#ending.signal })
      .then(() => this.#expire())
      .catch((error: unknown) => {
        if (error !== this.#ending.signal.reason) throw error;
      });
  }

  /** Whether it goes on. */
  get isLive(): boolean {
    return !this.#ending.signal.aborted;
  }

  /** Every use of the sandbox: refused once it has ended, ended with it, and waited for when it is disposed of. */
  async use<Result>(
    phase: Phase,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const ending = this.#ending.signal;
    if (ending.aborted) throw this.#endedError(phase, false);
    const running = work(signal === undefined ? ending : AbortSignal.any([signal, ending]));
    this.#inFlight.add(running);
    try {
      const result = await running;
      if (ending.aborted && isInterrupted(result) && !signal?.aborted) throw ending.reason;
      return result;
    } catch (error) {
      if (ending.aborted && error === ending.reason) throw this.#endedError(phase, true);
      if (signal?.aborted && error === signal.reason) throw error;
      throw await this.#parts.explain(error, phase);
    } finally {
      this.#inFlight.delete(running);
    }
  }

  /** Ends all uses, waits for them within bounds, and then closes, once. */
  dispose(close: () => Promise<void>): Promise<void> {
    this.#disposal ??= this.#dispose(close);
    return this.#disposal;
  }

  async #dispose(close: () => Promise<void>): Promise<void> {
    this.#ending.abort(this.#endedError('dispose', true));
    await settleWithin(async () => void (await Promise.allSettled(this.#inFlight)), maxSettleMs, this.#parts.logger);
    await close();
    this.#parts.logger.debug('sandbox.closed', { sandboxId: this.#parts.id });
  }

  async #expire(): Promise<void> {
    this.#hasExpired = true;
    const { logger, id, maxLifetimeMs, onExpire } = this.#parts;
    logger.warn('sandbox.expired', { sandboxId: id, maxLifetimeMs });
    this.#ending.abort(this.#endedError('dispose', true));
    await settleWithin(onExpire, maxSettleMs, logger);
  }

  #endedError(phase: Phase, started: boolean): SandboxError {
    const { kind, id, maxLifetimeMs } = this.#parts;
    if (this.#hasExpired) {
      return new SandboxError(`The sandbox ${id} has lived for its ${maxLifetimeMs} ms and was ended`, {
        backend: kind,
        code: 'sandbox.lost',
        phase,
        started,
        hint: 'Raise maxLifetimeMs (terminal_lifetime), or do less in one sandbox.',
      });
    }
    return new SandboxError(`The sandbox ${id} is closed`, {
      backend: kind,
      code: 'sandbox.closed',
      phase,
      started,
      hint: 'Use it before whoever opened it disposes of it.',
    });
  }
}

function isInterrupted(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'interrupted';
}
