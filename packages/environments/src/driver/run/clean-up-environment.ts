import { type JsonObject, settleWithin } from '@talaria/core';
import type { RunScope } from './run-scope.ts';
import { RunStopped } from './stop-plan.ts';

/** Longest time that an environment's own clean-up may take. */
const cleanupTimeoutMs = 30_000;
const forcedCleanupTimeoutMs = 10_000;

/** Lets the environment clean up, whatever happened before; never throws. */
export async function cleanUpEnvironment<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
): Promise<void> {
  const { environment, options, logger, context } = scope;
  if (environment.cleanup === undefined) return;
  const timeoutMs = options.forceSignal?.aborted ? forcedCleanupTimeoutMs : cleanupTimeoutMs;
  // The run's own signal is aborted after a stop, and cleaning up is wanted all the same.
  const cleaning = new AbortController();
  const outcome = await settleWithin(
    async () => environment.cleanup?.({ ...context, signal: cleaning.signal }),
    timeoutMs,
    logger,
  );
  if (outcome === 'timed-out') cleaning.abort(new RunStopped('The time for cleaning up is over'));
}
