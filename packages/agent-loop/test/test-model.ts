import type { Clock } from '@talaria/core';
import type { ChatCallOptions, ChatCompletion, ChatRequest } from '@talaria/model-client';
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from '@talaria/model-client/testing';

/** A scripted model that counts its open calls. */
export interface TestModel extends ScriptedModel {
  /** Calls that have not settled. */
  readonly activeCount: number;
}

interface TestModelOptions {
  readonly clock?: Clock;
  /** Price of each answer. */
  readonly costUsd?: number | null;
  readonly reportsUsage?: boolean;
  /** Runs before each answer. */
  readonly pause?: (signal: AbortSignal | undefined) => Promise<void>;
}

/** Plays a script with 15 tokens per answer and, in every turn, the ids `call_0`, `call_1`, …. */
export function createTestModel(script: readonly ScriptedTurn[], options: TestModelOptions = {}): TestModel {
  const { clock, costUsd = null, reportsUsage = true, pause } = options;
  const scripted = scriptedModel(script.map(withFixedFacts), { clock, pieceChars: 1 });
  let activeCount = 0;

  function adjust(completion: ChatCompletion): ChatCompletion {
    return { ...completion, costUsd, usage: reportsUsage ? completion.usage : null };
  }

  return {
    ...scripted,
    get activeCount() {
      return activeCount;
    },
    async complete(request: ChatRequest, callOptions: ChatCallOptions = {}) {
      activeCount += 1;
      try {
        await pause?.(callOptions.signal);
        return adjust(await scripted.complete(request, callOptions));
      } finally {
        activeCount -= 1;
      }
    },
    async *stream(request, callOptions = {}) {
      activeCount += 1;
      try {
        for await (const event of scripted.stream(request, callOptions)) {
          await pause?.(callOptions.signal);
          yield event.type === 'end' ? { ...event, completion: adjust(event.completion) } : event;
        }
      } finally {
        activeCount -= 1;
      }
    },
  };
}

function withFixedFacts(turn: ScriptedTurn): ScriptedTurn {
  return {
    usage: { promptTokens: 10, completionTokens: 5 },
    ...turn,
    toolCalls: turn.toolCalls?.map((call, index) => ({ id: `call_${index}`, ...call })),
  };
}
