import { isAbortOf, raceAbort } from '@talaria/core';
import type { SandboxTransport, TransportProcess, TransportRequest } from './transport.ts';

/**
 * Starts a process that nobody misses where the signal comes first: then this rejects with the signal's reason at once,
 * whatever the transport waits for, and what is started late is let go of.
 */
export async function startOrClose(
  transport: Pick<SandboxTransport, 'start'>,
  request: TransportRequest,
): Promise<TransportProcess> {
  const { signal } = request;
  const starting = transport.start(request);
  try {
    return await raceAbort(starting, signal);
  } catch (error) {
    if (isAbortOf(error, signal)) {
      starting.then(
        (late) => late.close(),
        () => undefined,
      );
    }
    throw error;
  }
}
