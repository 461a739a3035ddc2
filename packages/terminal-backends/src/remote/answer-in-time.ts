import { type Clock, openDeadline, type SandboxError } from '@talaria/core';
import { remoteError } from './remote-error.ts';
import type { SandboxTransport } from './transport.ts';

/**
 * How long a sandbox may take to do what Talaria itself needs of it. This guards against silence alone: a machine with much to
 * do takes long to start a process, and a login profile has up to a minute of the first launcher's time.
 */
const maxAnswerMs = 120_000;
/** Where every process is several requests, which wait and are sent again as the service asks for. */
const maxRequestsMs = 600_000;

/** Once the signal has come. */
const maxFinishMs = 5_000;

/** How an answer is waited for. */
export interface AnswerWait {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /**
   * Whether it makes something in the sandbox: then it may go on for five seconds once the signal has come, so that whoever
   * removes the sandbox does not do so under its hands. @default false
   */
  readonly mayFinish?: boolean | undefined;
  /** @default 'exec' */
  readonly phase?: SandboxError['phase'] | undefined;
}

/**
 * Does what Talaria itself needs of a sandbox, such as opening a launcher, within a time: no time limit of a caller's counts
 * yet. `ask` ends with the signal that it gets. @throws SandboxError `sandbox.timeout`
 */
export async function answerInTime<Answer>(
  { kind, isInteractive }: Pick<SandboxTransport, 'kind' | 'isInteractive'>,
  { clock, signal, mayFinish = false, phase = 'exec' }: AnswerWait,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const limitMs = isInteractive ? maxAnswerMs : maxRequestsMs;
  using end = endLater(clock, mayFinish ? maxFinishMs : 0, signal);
  using limit = openDeadline(clock, limitMs, end.signal);
  try {
    const answer = await ask(limit.signal);
    if (mayFinish) signal?.throwIfAborted();
    return answer;
  } catch (error) {
    if (!limit.isExpired()) throw error;
    throw remoteError(kind, 'The sandbox does not answer', {
      code: 'sandbox.timeout',
      phase,
      started: false,
      retryable: true,
      hint: 'See whether it is paused, whether its backend works, and whether it has enough processor time.',
      cause: error,
    });
  }
}

/** A signal that follows another one after a time. */
function endLater(
  clock: Clock,
  delayMs: number,
  parent: AbortSignal | undefined,
): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  let cancel: (() => void) | undefined;
  function end(): void {
    controller.abort(parent?.reason);
  }
  function follow(): void {
    if (delayMs === 0) end();
    else cancel = clock.schedule(delayMs, end);
  }
  if (parent?.aborted) end();
  else parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      cancel?.();
      parent?.removeEventListener('abort', follow);
    },
  };
}
