import { AsyncLocalStorage } from 'node:async_hooks';
import type { ModalClientParams } from 'modal';

/** A step that every call of the SDK passes through. */
export type CallMiddleware = NonNullable<ModalClientParams['grpcMiddleware']>[number];

/** Lets calls be broken off whose methods take no signal. */
export interface CallCancellation {
  readonly middleware: CallMiddleware;
  /** Does work; the calls of {@link cancellableMethods} that it makes end with the signal. */
  within<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
}

/**
 * Those that belong to one caller alone and may take long. The others are short, or shared: the SDK asks for its token and
 * for an environment once for all.
 */
const cancellableMethods: ReadonlySet<string> = new Set([
  '/modal.client.ModalClient/ImageGetOrCreate',
  '/modal.client.ModalClient/ImageJoinStreaming',
  '/modal.client.ModalClient/SandboxCreate',
  '/modal.client.ModalClient/SandboxCreateV2',
  '/modal.client.ModalClient/SandboxList',
  '/modal.client.ModalClient/SandboxListV2',
]);

/** Creates it, for one client. */
export function createCallCancellation(): CallCancellation {
  const signals = new AsyncLocalStorage<AbortSignal>();
  return {
    within: (signal, work) => signals.run(signal, work),
    async *middleware(call, options) {
      const signal = signals.getStore();
      if (signal === undefined || !cancellableMethods.has(call.method.path)) {
        return yield* call.next(call.request, options);
      }
      const both = options.signal === undefined ? signal : AbortSignal.any([options.signal, signal]);
      return yield* call.next(call.request, { ...options, signal: both });
    },
  };
}
