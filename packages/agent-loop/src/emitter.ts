import { isPromise } from 'node:util/types';
import { errorMessage, type Logger, type RunEventBody } from '@talaria/core';

/** Makes a safe way to tell a listener: what it throws, or rejects with, is logged and changes nothing. */
export function createEmitter(
  listener: ((event: RunEventBody) => unknown) | undefined,
  logger: Logger,
): (event: RunEventBody) => void {
  if (listener === undefined) return () => undefined;
  function report(event: RunEventBody, error: unknown): void {
    logger.error('agent-loop.listener-threw', { type: event.type, message: errorMessage(error) });
  }
  return (event) => {
    try {
      const returned = listener(event);
      // An asynchronous listener passes for a synchronous one: its rejection would end the process.
      if (isPromise(returned)) returned.catch((error: unknown) => report(event, error));
    } catch (error) {
      report(event, error);
    }
  };
}
