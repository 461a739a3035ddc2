import type { Clock } from '@talaria/core';
import { CallError, type ModalStatus, toCallError } from './call-error.ts';
import { type CallLog, summarize } from './call-log.ts';
import type { FaultPlan } from './modal-fault.ts';
import type { CallContext } from './modal-method.ts';

/** What every call passes: it is noted, its credentials are checked, and planned faults strike it. */
export interface CallGate {
  unary(
    method: string,
    request: object,
    context: CallContext,
    work: (context: CallContext) => Promise<object>,
  ): Promise<object>;
  stream(
    method: string,
    request: object,
    context: CallContext,
    work: (context: CallContext) => AsyncIterable<object>,
  ): AsyncIterable<object>;
  upload(
    method: string,
    requests: AsyncIterable<object>,
    context: CallContext,
    work: (requests: AsyncIterable<object>, context: CallContext) => Promise<object>,
  ): Promise<object>;
}

/** Options of {@link createCallGate}. */
export interface CallGateOptions {
  readonly log: CallLog;
  readonly faults: FaultPlan;
  readonly clock: Clock;
  /** Throws where the call has no right to be made. */
  readonly checkAccess: (method: string, context: CallContext) => void;
}

/** Creates a gate. */
export function createCallGate(options: CallGateOptions): CallGate {
  const { log, faults, clock, checkAccess } = options;

  /** One call: from here on its end is noted exactly once. */
  function begin(method: string, request: object, context: CallContext): OpenCall {
    const summary = summarize(request);
    const end = log.begin(method, summary, clock.now());
    context.signal.addEventListener('abort', () => end('CANCELLED'), { once: true });
    return { method, text: JSON.stringify(summary), end };
  }

  async function strikeBefore(call: OpenCall, context: CallContext): Promise<void> {
    checkAccess(call.method, context);
    const delay = faults.take('delay', call.method, call.text);
    if (delay) await clock.sleep(delay.delayMs, { signal: context.signal });
    if (faults.take('silence', call.method, call.text)) await goneAway(context.signal);
  }

  async function settle<Answer>(call: OpenCall, work: () => Promise<Answer>): Promise<Answer> {
    try {
      const result = await work();
      call.end('OK');
      return result;
    } catch (error) {
      call.end(toCallError(error).status);
      throw error;
    }
  }

  /** Does the work, unless a planned status takes its place or the place of its answer. */
  async function attempt<Answer>(call: OpenCall, work: () => Promise<Answer>): Promise<Answer> {
    const fault = faults.take('status', call.method, call.text);
    if (fault && fault.phase !== 'after') throw statusError(fault.status, fault.message, fault.retryAfterSeconds);
    const result = await work();
    if (fault) throw statusError(fault.status, fault.message, fault.retryAfterSeconds);
    return result;
  }

  return {
    unary(method, request, context, work) {
      const call = begin(method, request, context);
      return settle(call, async () => {
        await strikeBefore(call, context);
        return await attempt(call, () => work(context));
      });
    },
    async *stream(method, request, context, work) {
      const call = begin(method, request, context);
      try {
        await strikeBefore(call, context);
        await attempt(call, () => Promise.resolve());
        const cut = faults.take('cut', method, call.text);
        const messages = work(context);
        if (cut) yield* cutAfter(messages, cut.afterBytes, cut.status ?? 'UNAVAILABLE');
        else yield* messages;
        call.end('OK');
      } catch (error) {
        call.end(toCallError(error).status);
        throw error;
      } finally {
        call.end('CANCELLED');
      }
    },
    async upload(method, requests, context, work) {
      const source = requests[Symbol.asyncIterator]();
      const first = await source.next();
      const call = begin(method, first.done === true ? {} : first.value, context);
      return await settle(call, async () => {
        await strikeBefore(call, context);
        const cut = faults.take('cut', method, call.text);
        const all = rejoin(first, source);
        const wanted = cut ? cutAfter(all, cut.afterBytes, cut.status ?? 'UNAVAILABLE') : all;
        return await attempt(call, () => work(wanted, context));
      });
    },
  };
}

interface OpenCall {
  readonly method: string;
  readonly text: string;
  readonly end: (outcome: 'OK' | ModalStatus) => void;
}

function statusError(status: ModalStatus, message = `${status} on demand`, retryAfterSeconds?: number): CallError {
  return new CallError(status, message, retryAfterSeconds);
}

function goneAway(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const leave = (): void => reject(new CallError('CANCELLED', 'The client went away'));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}

async function* rejoin(first: IteratorResult<object>, rest: AsyncIterator<object>): AsyncGenerator<object> {
  for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
}

/** Lets so many bytes of data through, to the byte, and breaks then. */
async function* cutAfter(messages: AsyncIterable<object>, bytes: number, status: ModalStatus): AsyncGenerator<object> {
  let left = bytes;
  for await (const message of messages) {
    const data = 'data' in message && message.data instanceof Uint8Array ? message.data : new Uint8Array(0);
    if (data.length > left) {
      if (left > 0) yield { ...message, data: data.subarray(0, left) };
      throw statusError(status, `Cut after ${bytes} bytes on demand`);
    }
    left -= data.length;
    yield message;
  }
}
