import type { Clock } from '@talaria/core';
import { endSurely } from './end-surely.ts';
import type { SandboxTransport, TransportProcess, TransportRequest } from './transport.ts';

/**
 * Starts a process that bears a mark. Where the signal comes while nobody can say yet whether it runs, `kill` ends it by the
 * mark; this rejects with the signal's reason once its end was seen, or was waited for in vain for a while.
 */
export async function startSurely(
  transport: Pick<SandboxTransport, 'start'>,
  request: TransportRequest,
  { kill, clock }: { readonly kill: (signal: AbortSignal) => Promise<unknown>; readonly clock: Clock },
): Promise<TransportProcess> {
  const { signal } = request;
  if (signal === undefined) return await transport.start(request);
  signal.throwIfAborted();
  const stopping = new AbortController();
  const aborted = Promise.withResolvers<null>();
  let mayRun = false;
  function stop(): void {
    if (mayRun) aborted.resolve(null);
    else stopping.abort(signal?.reason);
  }
  signal.addEventListener('abort', stop, { once: true });
  try {
    const starting = transport.start({
      ...request,
      signal: stopping.signal,
      onStart() {
        mayRun = true;
      },
    });
    const started = await Promise.race([starting, aborted.promise]);
    if (started !== null) return started;
    const ended = starting.then((late) => {
      late.discardOutput?.();
      return late.exited;
    });
    await endSurely(kill, ended, { clock });
    starting.then(
      (late) => late.close(),
      () => undefined,
    );
    stopping.abort(signal.reason);
    throw signal.reason;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
