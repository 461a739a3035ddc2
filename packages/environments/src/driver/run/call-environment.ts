import { errorMessage, isAbortOf, isTalariaError, raceAbort, TaskError } from '@talaria/core';

/** The functions of an environment whose failure is told by their name. */
export type EnvironmentMethod =
  | 'configInit'
  | 'setup'
  | 'getNextItem'
  | 'formatPrompt'
  | 'prepareSandbox'
  | 'evalItems'
  | 'referenceTurns';

/** Where a function of an environment is called. */
export interface EnvironmentCall<Value> {
  readonly environmentName: string;
  readonly method: EnvironmentMethod;
  /** Calls it. Environments in JavaScript may forget the promise. */
  readonly call: () => Value | PromiseLike<Value>;
  /** Ends the waiting; the function itself goes on. */
  readonly signal: AbortSignal;
}

/**
 * Calls a function of an environment and waits for it.
 * @throws TaskError `task.environment-failed` that names both; errors of Talaria and the signal's reason as they are
 */
export async function callEnvironment<Value>(options: EnvironmentCall<Value>): Promise<Value> {
  const { environmentName, method, call, signal } = options;
  try {
    return await raceAbort(Promise.resolve(call()), signal);
  } catch (error) {
    if (isAbortOf(error, signal)) throw error;
    throw environmentFailure(environmentName, method, error);
  }
}

/** What is thrown in place of an error that a function of an environment threw. */
export function environmentFailure(environmentName: string, method: EnvironmentMethod, error: unknown): unknown {
  if (isTalariaError(error)) return error;
  return new TaskError(`${method} of ${environmentName} failed: ${errorMessage(error)}`, {
    code: 'task.environment-failed',
    hint: 'The environment’s own code threw this: --verbose shows where.',
    cause: error,
  });
}
