import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type AgentLoopOptions, type AgentResult, finalResponse, runAgentLoop } from '@talaria/agent-loop';
import { expectValidHistory } from './expect-valid-history.ts';
import { openRealTools, type RealTools } from './open-real-tools.ts';
import { createTestModel } from './test-model.ts';
import { createTestParser } from './test-parser.ts';

let real: RealTools;

beforeEach(async () => {
  real = await openRealTools();
});
afterEach(async () => {
  await real[Symbol.asyncDispose]();
});

async function run(options: Omit<AgentLoopOptions, 'tools'>): Promise<AgentResult> {
  const result = await runAgentLoop([{ role: 'user', content: 'Work.' }], { ...options, tools: real.tools });
  expectValidHistory(result.messages);
  return result;
}

function terminal(command: string) {
  return { name: 'terminal', arguments: { command } };
}

async function isRunning(mark: string): Promise<boolean> {
  const sandbox = await real.lease.open();
  const found = await sandbox.runProgram(['pgrep', '-f', `^sleep ${mark}`]);
  return found.output !== '';
}

describe('with real tools in a real sandbox', () => {
  test('a conversation writes, reads and runs', async () => {
    const model = createTestModel([
      { toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'forty-two\n' } }] },
      {
        toolCalls: [
          { name: 'read_file', arguments: { path: 'a.txt' } },
          { name: 'search_files', arguments: { pattern: 'two' } },
          terminal('wc -c < a.txt; exit 3'),
        ],
      },
      { content: 'done' },
    ]);
    const result = await run({ model });
    expect(finalResponse(result)).toBe('done');
    expect(result.toolErrors).toEqual([]);
    const contents = result.messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    expect(contents[1]).toContain('forty-two');
    expect(contents[2]).toContain('a.txt');
    expect(JSON.parse(contents[3] ?? '')).toMatchObject({ output: '10', exit_code: 3 });
  });

  test.each([
    ['absent', ''],
    ['the JSON null', 'null'],
    ['an array', '["ls"]'],
    ['a string', '"ls"'],
    ['broken', '{"command": "ls'],
    ['doubled', '{"command": "ls"}{"command": "ls"}'],
    ['of the wrong type', '{"command": ["ls"]}'],
  ])('arguments that are %s are refused, never run', async (_case, text) => {
    const call = { name: 'terminal', arguments: text };
    const result = await run({ model: createTestModel([{ toolCalls: [call] }, { content: 'done' }]) });
    expect(result).toMatchObject({ stopReason: 'completed', toolErrors: [{ kind: 'invalid_args' }] });
    expect(real.lease.opened).toBeUndefined();
  });

  test('an unknown tool is answered with the names that there are', async () => {
    const call = { name: 'terminl', arguments: {} };
    const result = await run({ model: createTestModel([{ toolCalls: [call] }, { content: 'done' }]) });
    expect(result.toolErrors).toMatchObject([{ kind: 'unknown_tool', error: expect.stringContaining('terminal') }]);
  });

  test('arguments that nearly fit are mended in calls written as text only', async () => {
    const model = createTestModel([
      { toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt', limit: '2' } }] },
      { content: 'CALL terminal {"command": "echo three", "timeout": "3"}' },
      { content: 'done' },
    ]);
    const result = await run({ model, parser: createTestParser() });
    expect(result.turns.flatMap((turn) => turn.toolCalls)).toMatchObject([
      { isError: true, coercions: [] },
      { isError: false, coercions: ['timeout: "3" taken as 3'] },
    ]);
  });

  test('an abort during a command resolves once the command is dead', async () => {
    const controller = new AbortController();
    const toolCalls = [terminal('echo begun; sleep 765432'), terminal('touch never')];
    const watch = setInterval(async () => {
      if (real.lease.opened !== undefined && (await isRunning('765432'))) controller.abort(new Error('stop'));
    }, 20);
    const result = await run({ model: createTestModel([{ toolCalls }]), signal: controller.signal });
    clearInterval(watch);
    expect(result).toMatchObject({ stopReason: 'aborted', turnsUsed: 1 });
    expect(await isRunning('765432')).toBe(false);
    expect(await (await real.lease.open()).stat('never')).toBeNull();
  });

  test('a spent budget of time during a command keeps what was done before', async () => {
    const toolCalls = [terminal('echo first'), terminal('sleep 654321')];
    const result = await run({ model: createTestModel([{ toolCalls }]), budgets: { maxDurationMs: 1_000 } });
    expect(result).toMatchObject({ stopReason: 'budget_time', turnsUsed: 1 });
    expect(result.messages[2]).toMatchObject({ content: expect.stringContaining('first') });
    expect(await isRunning('654321')).toBe(false);
  });

  test('a sandbox that is gone ends the conversation as the fault that it is', async () => {
    const model = createTestModel([{ toolCalls: [terminal('true')] }, { toolCalls: [terminal('true')] }]);
    const { complete } = model;
    Object.assign(model, {
      async complete(...given: Parameters<typeof complete>) {
        if (real.lease.opened !== undefined) await real.lease[Symbol.asyncDispose]();
        return complete(...given);
      },
    });
    const result = await run({ model });
    expect(result).toMatchObject({ stopReason: 'sandbox_lost', turnsUsed: 2, error: { boundary: 'sandbox' } });
  });
});
