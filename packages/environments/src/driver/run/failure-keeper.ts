import { errorMessage } from '@talaria/core';
import { RunStopped, type StopPlan } from './stop-plan.ts';

/** Hears what ends a run from within. */
export interface FailureKeeper {
  /** The first error that ended the run. */
  readonly first: { readonly error: unknown } | undefined;
  /** Stops the run because of an error; that it was stopped is none. */
  fail(error: unknown): void;
}

/** Keeps the first error and stops the run; what comes after it is mostly its consequence. */
export function createFailureKeeper(stop: StopPlan): FailureKeeper {
  let first: { readonly error: unknown } | undefined;
  return {
    get first() {
      return first;
    },
    fail(error) {
      if (first !== undefined || error instanceof RunStopped) return;
      first = { error };
      stop.stop(errorMessage(error));
    },
  };
}
