import type { Clock } from '@talaria/core';
import type { ExecFacts } from './exec-facts.ts';

/** What an exec is watched with. */
export interface ExecWatchParts {
  /** Asks the engine; `null` where it knows of the exec no more, or cannot be asked. Never throws. */
  readonly inspect: () => Promise<ExecFacts | null>;
  /** Resolves when it is worth asking at once: at the first output. */
  readonly stirred: Promise<void>;
  /** Resolves when its output has ended: then it has most likely ended too. */
  readonly ended: Promise<void>;
  /** Resolves when nobody wants to know any more. */
  readonly released: Promise<void>;
  readonly clock: Clock;
}

/** How an exec goes. */
export interface ExecWatch {
  /** Resolves once it has started or has failed to: with what is known of it then, or `null` for nothing. */
  readonly started: Promise<ExecFacts | null>;
  /** Its exit code; `null` where nobody knows. */
  readonly exited: Promise<number | null>;
}

const minPauseMs = 10;
const maxPauseMs = 2_000;

/**
 * Watches an exec: the engine tells nobody that one has started, and its output may be held open by what it left in the
 * background. The pauses between questions grow with the time that nothing has happened for.
 */
export function watchExec({ inspect, stirred, ended, released, clock }: ExecWatchParts): ExecWatch {
  const started = Promise.withResolvers<ExecFacts | null>();
  const exited = Promise.withResolvers<number | null>();
  let wake = Promise.withResolvers<void>();
  let quietSince = clock.monotonicMs();
  let isReleased = false;
  let letGo: (() => void) | undefined;

  function nudge(): void {
    quietSince = clock.monotonicMs();
    wake.resolve();
    wake = Promise.withResolvers();
  }
  /**
   * A question that is never answered must not hold up whoever has let go. Not by a race with `released`: that lives as long as
   * the exec, and would keep something of every question.
   */
  function ask(): Promise<ExecFacts | null> {
    return new Promise((resolve, reject) => {
      letGo = () => resolve(null);
      inspect().then(resolve, reject);
    });
  }
  async function watch(): Promise<void> {
    while (!isReleased) {
      const asked = wake.promise;
      const facts = await ask();
      if (facts === null || facts.pid !== 0 || facts.exitCode !== null) started.resolve(facts);
      if (facts === null || facts.exitCode !== null) {
        exited.resolve(facts?.exitCode ?? null);
        return;
      }
      const pauseMs = Math.max(minPauseMs, Math.min(maxPauseMs, (clock.monotonicMs() - quietSince) / 2));
      await Promise.race([asked, clock.sleep(pauseMs, { isBackground: true })]);
    }
    started.resolve(null);
    exited.resolve(null);
  }
  stirred.then(nudge);
  ended.then(nudge);
  released.then(() => {
    isReleased = true;
    letGo?.();
    nudge();
  });
  watch().catch(exited.reject);
  return { started: started.promise, exited: exited.promise };
}
