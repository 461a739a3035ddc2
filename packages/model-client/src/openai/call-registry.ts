/** The calls under way of one model, so that disposing can end them. */
export interface CallRegistry {
  /** Registers a call; its signal follows the caller's, and `close`. @throws what the registry was closed with */
  open(signal: AbortSignal | undefined): RunningCall;
  /** Aborts every call with `reason`, and each one to come. */
  close(reason: unknown): void;
}

/** One call under way. Dispose of it when it has ended. */
export interface RunningCall extends Disposable {
  readonly signal: AbortSignal;
}

/** Creates an empty registry. */
export function createCallRegistry(): CallRegistry {
  const controllers = new Set<AbortController>();
  let closed: { readonly reason: unknown } | undefined;
  return {
    open(signal) {
      signal?.throwIfAborted();
      if (closed !== undefined) throw closed.reason;
      // Not AbortSignal.any: a listener that is taken off leaves nothing behind on a signal that lives as long as a run.
      const controller = new AbortController();
      const follow = (): void => controller.abort(signal?.reason);
      signal?.addEventListener('abort', follow, { once: true });
      controllers.add(controller);
      return {
        signal: controller.signal,
        [Symbol.dispose]() {
          signal?.removeEventListener('abort', follow);
          controllers.delete(controller);
        },
      };
    },
    close(reason) {
      closed ??= { reason };
      for (const controller of controllers) controller.abort(closed.reason);
    },
  };
}
