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
    // The engine goes on with it all the same.
    await raceAbort(container.remove({ force: true, v: true }), signal);
  } catch (error) {
    if (isMissing(error)) return;
    // The engine is at it already, since the container ended by itself.
    if (readEngineAnswer(error)?.status !== 409) throw error;
    while (await raceAbort(exists(container), signal)) await clock.sleep(pollMs, { signal });
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
const maxRemovalMs = 20_000;
const attempts = 3;
const attemptPauseMs = 200;

/**
 * {@link removeContainer} for the end of a sandbox: tried again where a request fails, since it may be made twice; bounded
 * in time; never throws. Says whether the container is gone.
 */
export async function discardContainer(
  container: Dockerode.Container,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<boolean> {
  using deadline = openDeadline(clock, maxRemovalMs, undefined);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      await raceAbort(removeContainer(container, clock, deadline.signal), deadline.signal);
      return true;
    } catch (error) {
      logger.warn('sandbox.removal-failed', { container: container.id, attempt, message: errorMessage(error) });
      if (deadline.isExpired()) return false;
      await clock.sleep(attemptPauseMs);
    }
  }
  return false;
}
