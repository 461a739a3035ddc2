import { addUsage, noUsage, TaskError, type Usage } from '@talaria/core';
import type { ChatCompletion, ChatModel } from '@talaria/model-client';

/** What requests used up. */
export interface UsageMeter {
  readonly usage: Usage;
  /** US dollars; `null` as soon as one price is unknown. */
  readonly costUsd: number | null;
  add(usage: Usage | null, costUsd: number | null): void;
}

/** Creates a meter at zero. */
export function createUsageMeter(): UsageMeter {
  let usage = noUsage;
  let costUsd: number | null = 0;
  return {
    get usage() {
      return usage;
    },
    get costUsd() {
      return costUsd;
    },
    add(more, moreUsd) {
      if (more !== null) usage = addUsage(usage, more);
      costUsd = costUsd === null || moreUsd === null ? null : costUsd + moreUsd;
    },
  };
}

/** The same model, with what it uses up counted. Closing it closes nothing: the model stays its owner's. */
export function meterModel(model: ChatModel, meter: UsageMeter): ChatModel {
  function count(completion: ChatCompletion): void {
    meter.add(completion.usage, completion.costUsd);
  }
  return {
    name: model.name,
    async complete(request, options) {
      const completion = await model.complete(request, options);
      count(completion);
      return completion;
    },
    async *stream(request, options) {
      for await (const event of model.stream(request, options)) {
        if (event.type === 'end') count(event.completion);
        yield event;
      }
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** Stands for the model where each rollout has one of its own and none is running. */
export function absentModel(name: string): ChatModel {
  function refuse(): never {
    throw new TaskError(`${name} answers within rollouts only: each has a model of its own`, {
      code: 'task.no-model',
      hint: 'Ask it in computeReward or prepareSandbox, where the context holds the model of the rollout.',
    });
  }
  return {
    name,
    complete: async () => refuse(),
    // biome-ignore lint/correctness/useYield: it has nothing to give
    async *stream() {
      refuse();
    },
    async [Symbol.asyncDispose]() {},
  };
}
