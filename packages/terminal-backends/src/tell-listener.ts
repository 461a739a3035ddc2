import { errorMessage, type Logger } from '@talaria/core';

/** Tells a listener of the user's, if there is one. What it throws is logged: it must not end what it listens to. */
export function tellListener<Told>(listener: ((told: Told) => void) | undefined, told: Told, logger: Logger): void {
  try {
    listener?.(told);
  } catch (error) {
    logger.warn('sandbox.listener-failed', { message: errorMessage(error) });
  }
}
