import { errorMessage } from '@talaria/core';
import { exitCodes } from './exit-code.ts';
import type { Host, StopSignal } from './host.ts';

/** What a stopped run is aborted with. */
export class RunInterrupted extends Error {
  readonly signal: StopSignal;

  constructor(signal: StopSignal) {
    super(`Interrupted by ${signal}`);
    this.name = 'RunInterrupted';
    this.signal = signal;
  }
}

/** Two signals to stop by, of growing urgency. Dispose of it to give the signals back to the system. */
export interface StopControl extends Disposable {
  /** Aborted the first time: nothing new begins, what is nearly done is finished, everything is cleaned up. */
  readonly drainSignal: AbortSignal;
  /** Aborted the second time, or by an error that nothing caught: what still runs is cut off, and cleaned up. */
  readonly cutSignal: AbortSignal;
  /** Throws the first error that nothing caught, if there was one. */
  throwIfUncaught(): void;
}

/** Options of {@link openStopControl}. */
export interface StopControlOptions {
  /** Names what would be left behind if the program ended now, one line each. */
  readonly listLeftovers: () => readonly string[];
  /** Shows a line to the user. */
  readonly tell: (line: string) => void;
}

/**
 * Turns the signals that ask to stop into abort signals, and tells the user each time what happens next. The third time
 * the program ends at once, and says what it leaves behind.
 */
export function openStopControl(host: Host, { listLeftovers, tell }: StopControlOptions): StopControl {
  const drain = new AbortController();
  const cut = new AbortController();
  let count = 0;
  let uncaught: { readonly error: unknown } | undefined;

  function hear(signal: StopSignal): void {
    count += 1;
    if (count === 1) {
      tell(`${signal}: starting nothing new, finishing and cleaning up. Once more cuts off what runs.`);
      drain.abort(new RunInterrupted(signal));
    } else if (count === 2) {
      tell(`${signal}: cutting off what runs, cleaning up. Once more ends at once.`);
      cut.abort(new RunInterrupted(signal));
    } else {
      tell(describeLeftovers(listLeftovers()));
      host.exitNow(exitCodes.interrupted);
    }
  }

  function hearUncaught(error: unknown): void {
    tell(`Something failed that nobody waits for: cutting off what runs, cleaning up. (${errorMessage(error)})`);
    uncaught ??= { error };
    drain.abort(error);
    cut.abort(error);
  }

  const stopHearing = [host.onStopSignal(hear), host.onUncaughtError(hearUncaught)];
  return {
    drainSignal: drain.signal,
    cutSignal: cut.signal,
    throwIfUncaught() {
      if (uncaught !== undefined) throw uncaught.error;
    },
    [Symbol.dispose]() {
      for (const stop of stopHearing) stop();
    },
  };
}

function describeLeftovers(leftovers: readonly string[]): string {
  if (leftovers.length === 0) return 'Ended at once. Nothing is known to be left behind.';
  const list = leftovers.map((name) => `\n  ${name}`).join('');
  return `Ended at once. Left behind, and removed when the next run starts:${list}`;
}
