import { describe, expect, test } from '@jest/globals';
import { type AgentLoopOptions, type AgentResult, runAgentLoop } from '@talaria/agent-loop';
import type { ChatMessage } from '@talaria/core';
import { createManualClock, createMemoryLogger, type ManualClock } from '@talaria/core/testing';
import fc from 'fast-check';
import { expectValidHistory } from './expect-valid-history.ts';
import { createTestModel } from './test-model.ts';
import { createTestTools, type TestTool } from './test-tools.ts';

const messages: readonly ChatMessage[] = [{ role: 'user', content: 'Work.' }];
const work = { toolCalls: [{ name: 'work', arguments: {} }] };
const works = (count: number) => Array.from({ length: count }, () => work);
const instant: TestTool = { execute: () => 'ok' };

async function run(options: AgentLoopOptions): Promise<AgentResult> {
  const result = await runAgentLoop(messages, options);
  expectValidHistory(result.messages);
  return result;
}

/** Lets the clock run until the loop is done. */
async function runWith(clock: ManualClock, options: AgentLoopOptions): Promise<AgentResult> {
  let isDone = false;
  const result = run({ ...options, clock }).finally(() => {
    isDone = true;
  });
  while (!isDone) await clock.advance(100);
  return result;
}

describe('budgets', () => {
  test('of turns', async () => {
    const result = await run({
      model: createTestModel(works(9)),
      tools: createTestTools({ work: instant }),
      maxTurns: 3,
    });
    expect(result).toMatchObject({ stopReason: 'max_turns', turnsUsed: 3, finishedNaturally: false, error: null });
    expect(result.messages.at(-1)?.role).toBe('tool');
  });

  test('of tokens, checked between turns', async () => {
    const model = createTestModel(works(9));
    const result = await run({ model, tools: createTestTools({ work: instant }), budgets: { maxTokens: 30 } });
    expect(result).toMatchObject({ stopReason: 'budget_tokens', turnsUsed: 2, usage: { total_tokens: 30 } });
  });

  test('of money', async () => {
    const model = createTestModel(works(9), { costUsd: 0.02 });
    const result = await run({ model, tools: createTestTools({ work: instant }), budgets: { maxCostUsd: 0.05 } });
    expect(result).toMatchObject({ stopReason: 'budget_cost', turnsUsed: 3 });
    expect(result.costUsd).toBeCloseTo(0.06);
  });

  test('of money with an unknown price warn once', async () => {
    const logger = createMemoryLogger();
    const model = createTestModel([work, work, { content: 'done' }]);
    const tools = createTestTools({ work: instant });
    const result = await run({ model, tools, budgets: { maxCostUsd: 0.05 }, logger });
    expect(result).toMatchObject({ stopReason: 'completed', costUsd: null });
    expect(logger.entries.filter((entry) => entry.event === 'agent-loop.price-unknown')).toHaveLength(1);
  });

  test('of tokens that nobody reports warn once', async () => {
    const logger = createMemoryLogger();
    const model = createTestModel([work, work, { content: 'done' }], { reportsUsage: false });
    const result = await run({ model, tools: createTestTools({ work: instant }), budgets: { maxTokens: 1 }, logger });
    expect(result).toMatchObject({ stopReason: 'completed', usage: { total_tokens: 0 } });
    expect(logger.entries.filter((entry) => entry.event === 'agent-loop.usage-unknown')).toHaveLength(1);
  });

  test('do not take back a natural end', async () => {
    const model = createTestModel([{ content: 'done' }], { costUsd: 9 });
    const result = await run({
      model,
      tools: createTestTools({}),
      maxTurns: 1,
      budgets: { maxTokens: 1, maxCostUsd: 1 },
    });
    expect(result).toMatchObject({ stopReason: 'completed', finishedNaturally: true });
  });

  test('of time stop a model call', async () => {
    const clock = createManualClock();
    const model = createTestModel([work, { content: 'late', delayMs: 5_000 }], { clock });
    const tools = createTestTools({ work: instant });
    const result = await runWith(clock, { model, tools, budgets: { maxDurationMs: 1_000 } });
    expect(result).toMatchObject({ stopReason: 'budget_time', turnsUsed: 2, error: null });
    expect(result.messages).toHaveLength(3);
    expect(result.turns[1]).toMatchObject({ modelMs: 1_000, finishReason: null });
    expect(model.activeCount + clock.pendingCount).toBe(0);
  });

  test('of time stop tools, keep what is done and answer the rest', async () => {
    const clock = createManualClock();
    const slow: TestTool = {
      async execute(_args, signal) {
        await clock.sleep(700, { signal });
        return 'slept';
      },
    };
    const toolCalls = [work, work, work].flatMap((turn) => turn.toolCalls);
    const tools = createTestTools({ work: slow });
    const result = await runWith(clock, {
      model: createTestModel([{ toolCalls }]),
      tools,
      budgets: { maxDurationMs: 1_000 },
    });
    expect(result).toMatchObject({ stopReason: 'budget_time', turnsUsed: 1 });
    expect(result.messages.slice(2).map((message) => message.content)).toEqual([
      'slept',
      expect.stringContaining('interrupted'),
      expect.stringContaining('interrupted'),
    ]);
    expect(result.turns[0]?.toolCalls).toMatchObject([
      { startedAtMs: 0, durationMs: 700, isError: false },
      { startedAtMs: 700, durationMs: 300, isError: true },
      { startedAtMs: 1_000, durationMs: 0, isError: true },
    ]);
    expect(tools.started).toHaveLength(2);
    expect(clock.pendingCount).toBe(0);
  });

  test('of time are kept where the tools block the timer', async () => {
    const clock = createManualClock();
    let nowMs = 0;
    const blocked = { ...clock, monotonicMs: () => nowMs };
    const tools = createTestTools({
      work: {
        execute() {
          nowMs += 600;
          return 'ok';
        },
      },
    });
    const model = createTestModel(works(9));
    const result = await run({ model, tools, clock: blocked, budgets: { maxDurationMs: 1_000 } });
    expect(result).toMatchObject({ stopReason: 'budget_time', turnsUsed: 2 });
  });
});

describe('the context limit', () => {
  const tools = createTestTools({ work: { execute: () => 'x'.repeat(300) } });
  const usage = { promptTokens: 1_000, completionTokens: 100 };

  test('shrinks the length of the answer to what is left', async () => {
    const model = createTestModel([{ ...work, usage }, { content: 'done' }]);
    await run({ model, tools, contextLimitTokens: 1_500, maxTokens: 400 });
    expect(model.requests.map((request) => request.maxTokens)).toEqual([400, 1_500 - 1_100 - 8 - 101]);
  });

  test('leaves an unset length to the provider', async () => {
    const model = createTestModel([{ ...work, usage }, { content: 'done' }]);
    await run({ model, tools, contextLimitTokens: 1_500 });
    expect(model.requests[1]).not.toHaveProperty('maxTokens');
  });

  test('ends the conversation where nothing is left', async () => {
    const model = createTestModel([{ ...work, usage }, { content: 'never' }]);
    const result = await run({ model, tools, contextLimitTokens: 1_200, maxTokens: 400 });
    expect(result).toMatchObject({
      stopReason: 'truncated',
      turnsUsed: 1,
      error: { code: 'model.context-overflow' },
    });
  });

  test('does not keep the first question from the provider, whose size nobody knows', async () => {
    const model = createTestModel([{ content: 'done' }], { reportsUsage: false });
    const result = await run({ model, tools, contextLimitTokens: 2, maxTokens: 400 });
    expect(result.stopReason).toBe('completed');
    expect(model.requests[0]?.maxTokens).toBe(400);
  });
});

describe('abort', () => {
  test('before the start asks nothing', async () => {
    const model = createTestModel([{ content: 'x' }]);
    const result = await run({ model, tools: createTestTools({}), signal: AbortSignal.abort(new Error('no')) });
    expect(result).toMatchObject({ stopReason: 'aborted', turnsUsed: 0, finishedNaturally: false, error: null });
    expect(model.requests).toHaveLength(0);
  });

  test('is what counts where the time is over too', async () => {
    const clock = createManualClock();
    const controller = new AbortController();
    const stubborn = async (): Promise<void> => {
      await clock.sleep(500);
      controller.abort(new Error('no'));
      await clock.sleep(2_000);
    };
    const model = createTestModel([work], { clock, pause: stubborn });
    const tools = createTestTools({ work: instant });
    const { signal } = controller;
    const result = await runWith(clock, { model, tools, signal, budgets: { maxDurationMs: 1_000 } });
    expect(result.stopReason).toBe('aborted');
    expect(model.activeCount).toBe(0);
  });

  test('at any moment leaves a valid history and nothing running', async () => {
    let longest = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(160),
        fc.boolean(),
        fc.boolean(),
        fc.array(fc.array(fc.constantFrom('read', 'write', 'none'), { maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        async (abortAt, isStreaming, isObedient, plan) => {
          const controller = new AbortController();
          let ticks = 0;
          async function pause(signal: AbortSignal | undefined): Promise<void> {
            for (let round = 0; round < 3; round += 1) {
              await Promise.resolve();
              ticks += 1;
              if (ticks === abortAt) controller.abort(new Error('stop'));
              if (isObedient) signal?.throwIfAborted();
            }
          }
          const slow = (isParallelSafe: boolean): TestTool => ({
            isParallelSafe,
            async execute(_args, signal) {
              await pause(signal);
              return 'ok';
            },
          });
          const tools = createTestTools({ read: slow(true), write: slow(false) });
          const script = plan.map((names) => ({
            content: 'word',
            toolCalls: names.map((name) => ({ name, arguments: {} })),
          }));
          const model = createTestModel([...script, { content: 'done' }], { pause });
          const starts = new Map<string, number>();
          const result = await run({
            model,
            tools,
            isStreaming,
            signal: controller.signal,
            onEvent: (event) => {
              if ('toolCallId' in event) {
                const step = event.type === 'tool-call-start' ? 1 : -1;
                starts.set(event.toolCallId, (starts.get(event.toolCallId) ?? 0) + step);
              }
            },
          });
          longest = Math.max(longest, ticks);
          expect(model.activeCount + tools.activeCount).toBe(0);
          expect([...starts.values()].every((open) => open === 0)).toBe(true);
          if (!controller.signal.aborted) expect(result.stopReason).toBe('completed');
          else if (!result.finishedNaturally) expect(result.stopReason).toBe('aborted');
          expect(result.turns).toHaveLength(result.turnsUsed);
        },
      ),
      { numRuns: 300 },
    );
    expect(longest).toBeGreaterThan(20);
  });
});
