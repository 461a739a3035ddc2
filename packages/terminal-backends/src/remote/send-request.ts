import { openDeadline } from '@talaria/core';
import type { RunResult } from '../sandbox.ts';
import type { ChannelOutcome, ChannelRequest } from './command-channel.ts';
import { endSurely } from './end-surely.ts';
import type { RemotePlace } from './remote-place.ts';

/** How a request is sent. */
export interface SendRequestOptions {
  /** Beside the commands, not in their order. */
  readonly isBeside: boolean;
  /** From the start of the command on. */
  readonly timeoutMs: number;
  /** Between SIGTERM and SIGKILL, for what is ended. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
}

/**
 * Sends a request, and ends what it started where the time is over or the signal comes. What cannot be ended, or nobody
 * answers for, is let go of: its outcome is `lost`.
 */
export async function sendRequest(
  { runner, killer, tools }: Pick<RemotePlace, 'runner' | 'killer' | 'tools'>,
  request: ChannelRequest,
  { isBeside, timeoutMs, graceMs, signal }: SendRequestOptions,
): Promise<{ readonly outcome: ChannelOutcome; readonly ending: RunResult['kind'] }> {
  const started = Promise.withResolvers<void>();
  let hasStarted = false;
  function onStart(): void {
    hasStarted = true;
    started.resolve();
  }
  const letGo = new AbortController();
  const options = { signal, onStart, abandoned: letGo.signal };
  const answer = isBeside ? runner.runBeside(request, options) : runner.runInOrder(request, options);
  answer.catch(() => undefined);
  await Promise.race([started.promise, answer]);
  using deadline = openDeadline(tools.clock, timeoutMs, signal);
  const first = await firstOf(answer, deadline.signal);
  if (first !== null) return { outcome: first, ending: 'exited' };
  if (!hasStarted) throw signal.reason;
  const ending = deadline.isExpired() ? 'timed-out' : 'interrupted';
  const kill = (stop: AbortSignal) => killer.end({ mode: 'exec', execId: request.execId }, graceMs, stop);
  const hasEnded = await endSurely(kill, answer, { clock: tools.clock, graceMs });
  const lost: ChannelOutcome = { kind: 'lost', isCutOff: false };
  if (!hasEnded) letGo.abort(new Error('Nobody waits for it any more'));
  return { outcome: hasEnded ? await answer.catch(() => lost) : lost, ending };
}

/** The value, or `null` where the signal comes first. */
async function firstOf<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
  const aborted = Promise.withResolvers<null>();
  function stop(): void {
    aborted.resolve(null);
  }
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
