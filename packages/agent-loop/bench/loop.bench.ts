import { runAgentLoop } from '@talaria/agent-loop';
import type { ChatCompletion, ChatModel } from '@talaria/model-client';
import { type Benchmark, measureSpawnMs, quantile } from '@talaria/testing-services/bench';
import type { ToolDispatcher } from '@talaria/tools';

const turnsPerConversation = 30;
const conversationCount = 300;
const warmUpCount = 30;

/** What one turn costs beside the model and the tool: both answer at once, from memory. */
export const benchmark: Benchmark = {
  name: 'agent loop',
  async run() {
    const spawnMs = await measureSpawnMs();
    const turnMs: number[] = [];
    for (let round = -warmUpCount; round < conversationCount; round += 1) {
      const samples = await measureTurns();
      if (round >= 0) turnMs.push(...samples);
    }
    const note = `${turnMs.length} turns, spawn ${spawnMs.toFixed(2)} ms`;
    const row = (name: string, share: number, value: number) => ({
      name,
      measured: quantile(turnMs, share) / spawnMs,
      unit: 'spawn',
      limit: { kind: 'at most' as const, value },
      note: `${note}, ${(quantile(turnMs, share) * 1_000).toFixed(0)} µs`,
    });
    return [row('loop overhead per turn, p50', 0.5, 0.2), row('loop overhead per turn, p95', 0.95, 1)];
  },
};

/** The time of each turn of one conversation: from one question to the next. */
async function measureTurns(): Promise<readonly number[]> {
  const askedAt: number[] = [];
  const model: ChatModel = {
    name: 'bench',
    async complete() {
      askedAt.push(performance.now());
      return askedAt.length > turnsPerConversation ? answer('done', []) : answer('', ['echo']);
    },
    stream() {
      throw new Error('not used');
    },
    async [Symbol.asyncDispose]() {},
  };
  await runAgentLoop([{ role: 'user', content: 'Work.' }], { model, tools, maxTurns: turnsPerConversation + 1 });
  return askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? Number.NaN));
}

const tools: ToolDispatcher = {
  definitions: [{ type: 'function', function: { name: 'echo', parameters: { type: 'object' } } }],
  isParallelSafe: () => false,
  dispatch: async (call) => ({
    toolCallId: call.id,
    toolName: call.function.name,
    content: call.function.arguments,
    isError: false,
    errorKind: null,
    durationMs: 0,
    coercions: [],
    storedAt: null,
  }),
  limitTurn: async (outcomes) => outcomes,
};

function answer(content: string, toolNames: readonly string[]): ChatCompletion {
  return {
    message: {
      role: 'assistant',
      content,
      tool_calls: toolNames.map((name) => ({ id: 'call', type: 'function', function: { name, arguments: '{"a":1}' } })),
    },
    finishReason: toolNames.length > 0 ? 'tool_calls' : 'stop',
    rawFinishReason: null,
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    costUsd: 0.001,
    model: 'bench',
    requestId: null,
    attempts: 1,
    durationMs: 0,
  };
}
