import { describe, expect, test } from '@jest/globals';
import { createSemaphore, Secret } from '@talaria/core';
import { createToolRegistry, defineTool, type Tool } from './index.ts';
import { createTestDispatcher, type TestDispatcherOptions } from './testing/index.ts';

const echo = defineTool<{ text: string }>({
  name: 'echo',
  description: 'Says it again.',
  toolset: 'test',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => ({ said: text }),
});

/** Calls another tool a number of times at once, and gives what came back. */
const caller = defineTool<{ name: string; args: Record<string, string>; times?: number }>({
  name: 'caller',
  description: 'Calls.',
  toolset: 'test',
  parameters: {
    type: 'object',
    properties: { name: { type: 'string' }, args: { type: 'object' }, times: { type: 'integer' } },
    required: ['name', 'args'],
  },
  async execute({ name, args, times = 1 }, { callTool }) {
    const outcomes = await Promise.all(Array.from({ length: times }, () => callTool(name, args)));
    return { contents: outcomes.map(({ content }) => content) };
  },
});

function open(
  options: TestDispatcherOptions = {},
  more: readonly Tool[] = [],
): ReturnType<typeof createTestDispatcher> {
  const view = createToolRegistry({ tools: [echo, caller, ...more] }).view();
  return createTestDispatcher({ view, ...options });
}

describe('a call that a tool makes', () => {
  test('goes through the dispatcher and is recorded with the call that made it', async () => {
    await using tools = open();
    const outcome = await tools.call('caller', { name: 'echo', args: { text: 'hello' }, times: 2 });
    expect(JSON.parse(outcome.content)).toEqual({ contents: ['{"said":"hello"}', '{"said":"hello"}'] });
    const record = { toolName: 'echo', isError: false, errorKind: null, durationMs: expect.any(Number) };
    expect(outcome.nestedCalls).toEqual([
      { toolCallId: 'call_1.1', ...record },
      { toolCallId: 'call_1.2', ...record },
    ]);
  });

  test('has its arguments checked, and reaches no tool that was not offered', async () => {
    await using tools = open();
    const wrong = await tools.call('caller', { name: 'echo', args: {} });
    expect(wrong.content).toContain('invalid_args');
    const unknown = await tools.call('caller', { name: 'terminal', args: {} });
    expect(unknown.content).toContain('unknown_tool');
    expect(unknown).toMatchObject({ isError: false, nestedCalls: [{ toolName: 'terminal', isError: true }] });
  });

  test('takes no place of its own, so that one place is enough', async () => {
    await using tools = open({ semaphore: createSemaphore(1) });
    expect(await tools.call('caller', { name: 'echo', args: { text: 'x' } })).toMatchObject({ isError: false });
  });

  test('is redacted, and is whole', async () => {
    const secret = new Secret('KEY', 'very-secret-value');
    const long = 'x'.repeat(5_000);
    let seen = '';
    const watcher = defineTool({
      name: 'watcher',
      description: 'Calls echo.',
      toolset: 'test',
      parameters: { type: 'object' },
      async execute(_args, { callTool }) {
        seen = (await callTool('echo', { text: `${long} very-secret-value` })).content;
        return 'done';
      },
    });
    await using tools = open({ secrets: [secret], resultLimits: { defaultResultChars: 100 } }, [watcher]);
    await tools.call('watcher', {});
    expect(seen).toBe(JSON.stringify({ said: `${long} [redacted:KEY]` }));
  });

  test('may be refused', async () => {
    await using tools = open({
      approval: async ({ toolName }) => (toolName === 'echo' ? { kind: 'deny', rule: 'no echo' } : { kind: 'allow' }),
    });
    const outcome = await tools.call('caller', { name: 'echo', args: { text: 'x' } });
    expect(outcome).toMatchObject({ isError: false, nestedCalls: [{ toolName: 'echo', errorKind: 'blocked' }] });
  });

  test('ends with the call that made it', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    const hanging = defineTool({
      name: 'hanging',
      description: 'Waits to be stopped.',
      toolset: 'test',
      parameters: { type: 'object' },
      execute: (_args, { signal }) =>
        new Promise<string>((resolve) => {
          signal.addEventListener('abort', () => resolve('stopped'));
          controller.abort(reason);
        }),
    });
    await using tools = open({}, [hanging]);
    await expect(tools.call('caller', { name: 'hanging', args: {} }, controller.signal)).rejects.toBe(reason);
  });
});
