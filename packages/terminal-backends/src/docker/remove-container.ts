import { type Clock, errorMessage, type Logger, openDeadline, raceAbort } from '@talaria/core';
import type Dockerode from 'dockerode';
import { isMissing, readEngineAnswer } from './docker-error.ts';

const pollMs = 50;

/**
 * Takes a container away with its unnamed volumes, whatever its state, and waits until it is gone.
 * @throws what the client throws
 */
export async function removeContainer(
  container: Dockerode.Container,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    if (isMissing(error)) return;
    // The engine is at it already, since the container ended by itself.
    if (readEngineAnswer(error)?.status !== 409) throw error;
    while (await exists(container)) await clock.sleep(pollMs, { signal });
  }
}

async function exists(container: Dockerode.Container): Promise<boolean> {
  try {
    await container.inspect();
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Within which time a container must be gone. */
export const maxRemovalMs = 20_000;

/** {@link removeContainer} for the end of a sandbox: bounded in time, never throws; says whether the container is gone. */
export async function discardContainer(
  container: Dockerode.Container,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<boolean> {
  using deadline = openDeadline(clock, maxRemovalMs, undefined);
  try {
    await raceAbort(removeContainer(container, clock, deadline.signal), deadline.signal);
    return true;
  } catch (error) {
    logger.warn('sandbox.removal-failed', { container: container.id, message: errorMessage(error) });
    return false;
  }
}
