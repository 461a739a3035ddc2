import { isTalariaError, type TalariaError } from '@talaria/core';
import type { ChatCallOptions, ChatModel } from '@talaria/model-client';

/** Hears what becomes of requests. */
export interface ModelWatcher {
  /** Awaited before the answer is handed on. */
  onAnswer(): void | Promise<void>;
  onError(error: unknown): void;
}

/** The same model, watched. Closing it closes nothing: the model stays its owner's. */
export function watchModel(model: ChatModel, watcher: ModelWatcher): ChatModel {
  return {
    name: model.name,
    async complete(request, options?: ChatCallOptions) {
      try {
        const completion = await model.complete(request, options);
        await watcher.onAnswer();
        return completion;
      } catch (error) {
        watcher.onError(error);
        throw error;
      }
    },
    async *stream(request, options?: ChatCallOptions) {
      try {
        yield* model.stream(request, options);
        await watcher.onAnswer();
      } catch (error) {
        watcher.onError(error);
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** Refusals that every other request of the run would meet as well. */
const hopelessCodes: ReadonlySet<string> = new Set([
  'model.unauthorized',
  'model.forbidden',
  'model.not-found',
  'model.quota-exceeded',
]);

/** Tells a run whose every request must fail from one that has bad luck. */
export interface HopelessnessWatcher extends ModelWatcher {
  /** Set once it makes no sense to go on. */
  readonly error: TalariaError | null;
}

/** Creates a watcher; `onHopeless` hears the error once. */
export function watchHopelessness(onHopeless: (error: TalariaError) => void): HopelessnessWatcher {
  let hasAnswered = false;
  let found: TalariaError | null = null;
  return {
    onAnswer() {
      hasAnswered = true;
    },
    onError(error) {
      if (found !== null || !isTalariaError(error)) return;
      // An endpoint that never answered is not there; one that did may come back.
      if (!hopelessCodes.has(error.code) && (hasAnswered || error.code !== 'model.connection')) return;
      found = error;
      onHopeless(error);
    },
    get error() {
      return found;
    },
  };
}
