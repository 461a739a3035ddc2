import type { Clock, ToolCall } from '@talaria/core';
import type { ChatCallOptions, ChatCompletion, ChatModel, ChatRequest, ChatStreamEvent } from '@talaria/model-client';
import type { ScriptedTurn } from '@talaria/model-client/testing';

/** A model that says what the script says, without the repairs that a real client makes. */
export interface TestModel extends ChatModel {
  /** What it was asked, in order. */
  readonly requests: readonly ChatRequest[];
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

export function createTestModel(script: readonly ScriptedTurn[], options: TestModelOptions = {}): TestModel {
  const requests: ChatRequest[] = [];
  let activeCount = 0;

  async function answer(request: ChatRequest, { signal }: ChatCallOptions = {}): Promise<ChatCompletion> {
    const turn = script[requests.length];
    requests.push(request);
    activeCount += 1;
    try {
      signal?.throwIfAborted();
      await options.pause?.(signal);
      if (turn === undefined) throw new Error(`The script has only ${script.length} turns`);
      if (turn.delayMs !== undefined) await options.clock?.sleep(turn.delayMs, { signal });
      if (turn.error !== undefined) throw turn.error;
      return completionOf(turn, options);
    } finally {
      activeCount -= 1;
    }
  }

  return {
    name: 'test',
    requests,
    get activeCount() {
      return activeCount;
    },
    complete: answer,
    async *stream(request, callOptions): AsyncIterable<ChatStreamEvent> {
      const completion = await answer(request, callOptions);
      const { content, reasoning_content: reasoning } = completion.message;
      for (const text of reasoning ?? '') yield { type: 'reasoning-delta', text };
      for (const text of content ?? '') yield { type: 'text-delta', text };
      yield { type: 'end', completion };
    },
    async [Symbol.asyncDispose]() {},
  };
}

function completionOf(turn: ScriptedTurn, options: TestModelOptions): ChatCompletion {
  const calls = (turn.toolCalls ?? []).map(
    (call, index): ToolCall => ({
      id: call.id ?? `call_${index}`,
      type: 'function',
      function: {
        name: call.name,
        arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
      },
    }),
  );
  const finishReason = turn.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  const { promptTokens, completionTokens } = turn.usage ?? { promptTokens: 10, completionTokens: 5 };
  return {
    message: {
      role: 'assistant',
      content: turn.content ?? null,
      ...(turn.reasoning === undefined ? {} : { reasoning_content: turn.reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    finishReason,
    rawFinishReason: finishReason,
    usage:
      options.reportsUsage === false
        ? null
        : {
            prompt_tokens: promptTokens,
            completion_tokens: completionTokens,
            total_tokens: promptTokens + completionTokens,
          },
    costUsd: options.costUsd ?? null,
    model: 'test',
    requestId: null,
    attempts: 1,
    durationMs: 0,
  };
}
