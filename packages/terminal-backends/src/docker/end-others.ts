import { type Clock, openDeadline, raceAbort } from '@talaria/core';
import type Dockerode from 'dockerode';
import { endOthersSignal } from './container-body.ts';
import { dockerError } from './docker-error.ts';

/** How long they may take to be gone, on a machine that has much to do. */
const maxEndMs = 60_000;

/**
 * Ends every process of a container but the first, and keeps its files: the engine signals the first process, which kills
 * the others in one step that none of them can outrun by starting more. It needs no room for another process, no right but
 * those of the container, and is the same on every engine. A restart would not do: while a container is to be removed when
 * it ends, Docker 20.10 may remove it or leave it stopped. What runs as another user stays where the first process is not
 * root. @throws SandboxError `sandbox.failed`, DeadlineExceeded, or what the client throws
 */
export async function endOthers(container: Dockerode.Container, clock: Clock): Promise<void> {
  using deadline = openDeadline(clock, maxEndMs, undefined);
  const attaching = container.attach({ stream: true, stdout: true });
  const stream = await raceAbort(attaching, deadline.signal).catch((error: unknown) => {
    attaching.then(letGo, () => undefined);
    throw error;
  });
  try {
    const told = Promise.withResolvers<boolean>();
    stream
      .once('data', () => told.resolve(true))
      .once('end', () => told.resolve(false))
      .once('close', () => told.resolve(false))
      .once('error', () => told.resolve(false));
    // Once: a shell that gets the same signal again while it deals with the first leaves off.
    await raceAbort(container.kill({ signal: endOthersSignal }), deadline.signal);
    if (await raceAbort(told.promise, deadline.signal)) return;
  } finally {
    letGo(stream);
  }
  throw dockerError(
    'The first process of the container did not end the others',
    { phase: 'exec', started: true },
    { code: 'sandbox.failed', hint: 'Dispose of the sandbox, and start again with a new one.' },
  );
}

function letGo(stream: NodeJS.ReadWriteStream): void {
  if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy();
}
