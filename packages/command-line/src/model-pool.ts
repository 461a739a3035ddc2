import type { ChatCompletion, ChatModel } from '@talaria/model-client';

/** Spreads requests over several endpoints of one model: each goes where the fewest are under way, ties to the first. */
export function createModelPool(models: readonly [ChatModel, ...ChatModel[]]): ChatModel {
  const [first] = models;
  const underWay = new Map<ChatModel, number>(models.map((model) => [model, 0]));

  function count(model: ChatModel, change: number): void {
    underWay.set(model, (underWay.get(model) ?? 0) + change);
  }

  function leastBusy(): ChatModel {
    return models.reduce((best, model) => ((underWay.get(model) ?? 0) < (underWay.get(best) ?? 0) ? model : best));
  }

  return {
    name: first.name,
    async complete(request, options): Promise<ChatCompletion> {
      const model = leastBusy();
      count(model, 1);
      try {
        return await model.complete(request, options);
      } finally {
        count(model, -1);
      }
    },
    async *stream(request, options) {
      const model = leastBusy();
      count(model, 1);
      try {
        yield* model.stream(request, options);
      } finally {
        count(model, -1);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(models.map((model) => model[Symbol.asyncDispose]()));
    },
  };
}
