import { describe, expect, test } from '@jest/globals';
import {
  type AgentLoopOptions,
  type AgentResult,
  finalResponse,
  runAgentLoop,
  toolCallsOf,
  toolNamesOf,
} from '@talaria/agent-loop';
import { type ChatMessage, ModelError, type RunEventBody, SandboxError } from '@talaria/core';
import { createMemoryLogger } from '@talaria/core/testing';
import { hermes } from '@talaria/tool-call-parsers/hermes';
import { expectValidHistory } from './expect-valid-history.ts';
import { createTestModel } from './test-model.ts';
import { createTestParser } from './test-parser.ts';
import { createTestTools, type TestTool } from './test-tools.ts';

const messages: readonly ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: '  What is 2 + 2?  ' },
];
const echo: TestTool = { execute: (args) => JSON.stringify(args) };
const callEcho = { toolCalls: [{ name: 'echo', arguments: { text: 'hi' } }] };

async function run(options: AgentLoopOptions, history = messages): Promise<AgentResult> {
  const result = await runAgentLoop(history, options);
  expectValidHistory(result.messages);
  expect(result.turns).toHaveLength(result.turnsUsed);
  return result;
}

describe('a turn', () => {
  test('ends the conversation when the model answers without a call', async () => {
    const model = createTestModel([{ content: '4', reasoning: 'easy' }], { costUsd: 0.5 });
    const result = await run({
      model,
      tools: createTestTools({}),
      temperature: 0.3,
      maxTokens: 7,
      extraBody: { a: 1 },
    });
    expect(result).toMatchObject({
      turnsUsed: 1,
      finishedNaturally: true,
      stopReason: 'completed',
      error: null,
      reasoningPerTurn: ['easy'],
      toolErrors: [],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      costUsd: 0.5,
      managedState: null,
    });
    expect(result.messages).toEqual([...messages, { role: 'assistant', content: '4', reasoning_content: 'easy' }]);
    expect(model.requests).toEqual([{ messages, temperature: 0.3, maxTokens: 7, extraBody: { a: 1 } }]);
    expect(finalResponse(result)).toBe('4');
  });

  test('runs the calls and gives their results to the model', async () => {
    const model = createTestModel([callEcho, { content: 'done' }]);
    const tools = createTestTools({ echo });
    const given = [...messages];
    const result = await run({ model, tools }, given);
    expect(given).toEqual(messages);
    expect(result.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'echo', arguments: '{"text":"hi"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_0', content: '{"text":"hi"}' },
      { role: 'assistant', content: 'done' },
    ]);
    expect(model.requests.map((request) => request.messages.length)).toEqual([2, 4]);
    expect(model.requests[0]?.tools).toBe(tools.definitions);
    expect(tools.userTasks).toEqual(['What is 2 + 2?']);
    expect(result.costUsd).toBeNull();
    expect(toolNamesOf(result)).toEqual(['echo']);
    expect(toolCallsOf(result).map((call) => call.id)).toEqual(['call_0']);
  });

  test('emits its events in order, once per call', async () => {
    const events: RunEventBody[] = [];
    await run({
      model: createTestModel([callEcho, { content: 'done' }]),
      tools: createTestTools({ echo }),
      onEvent: (event) => events.push(event),
    });
    expect(events.map((event) => event.type)).toEqual([
      'turn-start',
      'tool-call-start',
      'tool-call-end',
      'turn-end',
      'turn-start',
      'turn-end',
    ]);
    expect(events[1]).toMatchObject({ turn: 1, toolCallId: 'call_0', toolName: 'echo', arguments: '{"text":"hi"}' });
    expect(events[3]).toMatchObject({ turn: 1, finishReason: 'tool_calls', usage: { total_tokens: 15 } });
  });

  test('goes on when the listener throws or rejects, and says so', async () => {
    const logger = createMemoryLogger();
    for (const onEvent of [
      (): void => {
        throw new Error('bad display');
      },
      (): void => Promise.reject(new Error('bad display')) as unknown as undefined,
    ]) {
      const model = createTestModel([{ content: '4' }]);
      await run({ model, tools: createTestTools({}), logger, onEvent });
    }
    const reports = logger.entries.filter((entry) => entry.event === 'agent-loop.listener-threw');
    expect(reports).toHaveLength(4);
    expect(reports[0]?.fields).toEqual({ type: 'turn-start', message: 'bad display' });
  });

  test('gives the same result whole and streamed, and streams every piece', async () => {
    const script = [{ ...callEcho, content: 'look: 💡', reasoning: 'hm' }, { content: 'done' }];
    const events: RunEventBody[] = [];
    const whole = await run({ model: createTestModel(script), tools: createTestTools({ echo }) });
    const streamed = await run({
      model: createTestModel(script),
      tools: createTestTools({ echo }),
      isStreaming: true,
      onEvent: (event) => events.push(event),
    });
    expect(streamed.messages).toEqual(whole.messages);
    expect(streamed.usage).toEqual(whole.usage);
    const textOf = (type: string): string =>
      events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');
    expect(textOf('text-delta')).toBe('look: 💡done');
    expect(textOf('reasoning-delta')).toBe('hm');
  });

  test('streams the text without the calls that are written in it', async () => {
    const text = 'Let me see.\n<tool_call>\n{"name": "echo", "arguments": {"text": "hi"}}\n</tool_call>\nSo.';
    const events: RunEventBody[] = [];
    const result = await run({
      model: createTestModel([{ content: text }, { content: 'a < b' }]),
      tools: createTestTools({ echo }),
      parser: hermes,
      isStreaming: true,
      onEvent: (event) => events.push(event),
    });
    const shown = [1, 2].map((turn) =>
      events.map((event) => (event.type === 'text-delta' && event.turn === turn ? event.text : '')).join(''),
    );
    expect(shown).toEqual([result.messages[2]?.content, 'a < b']);
    expect(shown[0]).toBe('Let me see.\nSo.');
    expect(toolCallsOf(result)).toHaveLength(1);
  });

  test('calls a stream without an end a failure of the model', async () => {
    const model = {
      ...createTestModel([]),
      async *stream() {
        yield { type: 'text-delta' as const, text: 'half' };
      },
    };
    const result = await run({ model, tools: createTestTools({}), isStreaming: true });
    expect(result).toMatchObject({ stopReason: 'model_error', error: { code: 'model.stream-cut', retryable: true } });
  });

  test('holds a thousand turns', async () => {
    const script = Array.from({ length: 1_000 }, () => callEcho);
    const result = await run({ model: createTestModel(script), tools: createTestTools({ echo }), maxTurns: 1_000 });
    expect(result).toMatchObject({ turnsUsed: 1_000, stopReason: 'max_turns', finishedNaturally: false });
    expect(result.messages).toHaveLength(2_002);
    expect(result.usage.total_tokens).toBe(15_000);
  });

  test.each([
    ['maxTurns', { maxTurns: 0 }],
    ['maxTurns', { maxTurns: 1.5 }],
    ['maxTokens', { maxTokens: Number.NaN }],
    ['budgets.maxCostUsd', { budgets: { maxCostUsd: -1 } }],
    ['contextLimitTokens', { contextLimitTokens: 0 }],
    ['maxConcurrentCalls', { maxConcurrentCalls: 0 }],
  ])('refuses a senseless %s before it asks anything', async (name, options) => {
    const model = createTestModel([{ content: '4' }]);
    await expect(runAgentLoop(messages, { model, tools: createTestTools({}), ...options })).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining(`AgentLoopOptions.${name} is `),
    });
    expect(model.requests).toHaveLength(0);
  });
});

describe('calls', () => {
  test.each([
    ['an unknown tool', { name: 'ecko', arguments: {} }, 'unknown_tool'],
    ['arguments that are no JSON', { name: 'echo', arguments: '{"text": ' }, 'invalid_args'],
    ['arguments that are the JSON null', { name: 'echo', arguments: 'null' }, 'invalid_args'],
    ['arguments that are an array', { name: 'echo', arguments: '[1]' }, 'invalid_args'],
    ['arguments that are a number', { name: 'echo', arguments: '7' }, 'invalid_args'],
    ['doubled JSON', { name: 'echo', arguments: '{}{}' }, 'invalid_args'],
    ['a tool that throws', { name: 'broken', arguments: {} }, 'internal'],
  ])('%s: the model gets an error and the conversation goes on', async (_case, call, kind) => {
    const broken: TestTool = {
      execute: () => {
        throw new Error('it broke');
      },
    };
    const tools = createTestTools({ echo, broken });
    const result = await run({ model: createTestModel([callEcho, { toolCalls: [call] }, { content: 'done' }]), tools });
    expect(result).toMatchObject({ stopReason: 'completed', turnsUsed: 3 });
    expect(result.toolErrors).toEqual([
      {
        turn: 2,
        toolCallId: toolCallsOf(result)[1]?.id,
        toolName: call.name,
        kind,
        arguments: typeof call.arguments === 'string' ? call.arguments : '{}',
        error: expect.any(String),
        toolResult: expect.stringContaining('"error"'),
      },
    ]);
  });

  test('passes absent arguments on as they came: the tool layer judges', async () => {
    const seen: string[] = [];
    const tools = createTestTools({ echo }, {});
    const { dispatch } = tools;
    Object.assign(tools, {
      dispatch: (...[call, options]: Parameters<typeof dispatch>) => {
        seen.push(call.function.arguments);
        return dispatch(call, options);
      },
    });
    await run({ model: createTestModel([{ toolCalls: [{ name: 'echo', arguments: '' }] }, { content: 'x' }]), tools });
    expect(seen).toEqual(['']);
  });

  test('a dispatcher that throws is a tool error, not the end', async () => {
    const logger = createMemoryLogger();
    const dispatch = async (): Promise<never> => {
      throw new TypeError('surprise');
    };
    const tools = createTestTools({ echo }, { dispatch });
    const result = await run({ model: createTestModel([callEcho, { content: 'done' }]), tools, logger });
    expect(result).toMatchObject({ stopReason: 'completed', toolErrors: [{ kind: 'internal' }] });
    expect(logger.entries.map((entry) => entry.event)).toContain('agent-loop.tool-threw');
  });

  test('empty and repeated ids are replaced in the call and in its answer, across turns too', async () => {
    const twice = {
      toolCalls: [
        { name: 'echo', arguments: {}, id: 'a' },
        { name: 'echo', arguments: {}, id: 'a' },
        { name: 'echo', arguments: {}, id: '' },
      ],
    };
    const result = await run({
      model: createTestModel([twice, twice, { content: 'done' }]),
      tools: createTestTools({ echo }),
      createId: (prefix) => `${prefix}_same`,
    });
    const ids = toolCallsOf(result).map((call) => call.id);
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(6);
    expect(ids[0]).toBe('a');
  });

  test('two hundred thousand calls in one answer each get their result', async () => {
    const toolCalls = Array.from({ length: 200_000 }, () => ({ name: 'echo', arguments: {} }));
    const result = await runAgentLoop(messages, {
      model: createTestModel([{ toolCalls }, { content: 'done' }]),
      tools: createTestTools({ echo: { isParallelSafe: true, execute: () => '{}' } }),
    });
    expect(result.stopReason).toBe('completed');
    expect(result.messages.filter(({ role }) => role === 'tool')).toHaveLength(200_000);
  });

  test('a parser that throws, and an answer that is none, are failures of the model', async () => {
    const parser = {
      ...createTestParser(),
      parse(): never {
        throw new TypeError('broken parser');
      },
    };
    const tools = createTestTools({ echo });
    const parsed = await run({ model: createTestModel([{ content: 'CALL echo {}' }]), tools, parser });
    expect(parsed).toMatchObject({ stopReason: 'model_error', error: { message: expect.stringContaining('broken') } });
    const model = createTestModel([]);
    // A model of somebody's own need not be typed.
    const untyped = { ...model, complete: async () => undefined as never };
    expect(await run({ model: untyped, tools })).toMatchObject({ stopReason: 'model_error' });
  });

  test('ids of the initial messages are not used again, and their calls are not counted', async () => {
    const history: ChatMessage[] = [
      ...messages,
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'old', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_0', content: 'x' },
    ];
    const result = await run(
      { model: createTestModel([callEcho, { content: 'y' }]), tools: createTestTools({ echo }) },
      history,
    );
    expect(toolCallsOf(result)).toHaveLength(1);
    expect(toolNamesOf(result)).toEqual(['echo']);
  });

  test('neighbours that are parallel-safe run together, others alone, and the results keep their order', async () => {
    let running = 0;
    const together: Record<string, number> = {};
    function tool(name: string, isParallelSafe: boolean): TestTool {
      return {
        isParallelSafe,
        async execute() {
          running += 1;
          for (let tick = 0; tick < 20; tick += 1) {
            await Promise.resolve();
            together[name] = Math.max(together[name] ?? 0, running);
          }
          running -= 1;
          return name;
        },
      };
    }
    const tools = createTestTools({ read: tool('read', true), find: tool('find', true), write: tool('write', false) });
    const names = ['read', 'find', 'read', 'write', 'write', 'find'];
    const model = createTestModel([{ toolCalls: names.map((name) => ({ name, arguments: {} })) }, { content: 'x' }]);
    const result = await run({ model, tools, maxConcurrentCalls: 2 });
    expect(together).toEqual({ read: 2, find: 2, write: 1 });
    expect(result.messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []))).toEqual(names);
    expect(result.turns[0]?.toolCalls.map((call) => call.name)).toEqual(names);
  });

  test('the limit on a whole turn is applied to what the model sees', async () => {
    const tools = createTestTools(
      { echo },
      {
        limitTurn: async (outcomes) =>
          outcomes.map((outcome) => ({ ...outcome, content: 'short', storedAt: '/tmp/x' })),
      },
    );
    const result = await run({ model: createTestModel([callEcho, { content: 'x' }]), tools });
    expect(result.messages[3]).toMatchObject({ role: 'tool', content: 'short' });
    expect(result.turns[0]?.toolCalls[0]?.storedAt).toBe('/tmp/x');
  });

  test('a limit that fails leaves the results whole', async () => {
    const limitTurn = async (): Promise<never> => {
      throw new Error('no space');
    };
    const logger = createMemoryLogger();
    const tools = createTestTools({ echo }, { limitTurn });
    const result = await run({ model: createTestModel([callEcho, { content: 'x' }]), tools, logger });
    expect(result).toMatchObject({ stopReason: 'completed' });
    expect(result.messages[3]).toMatchObject({ content: '{"text":"hi"}' });
    expect(logger.entries.map((entry) => entry.event)).toContain('agent-loop.limit-failed');
  });
});

describe('calls written as text', () => {
  const parser = createTestParser();

  test('are taken out of the text, which is kept as it was beside it', async () => {
    const text = 'Let me see.\nCALL echo {"n":12345678901234567890}';
    const result = await run({
      model: createTestModel([{ content: text }, { content: 'done' }]),
      tools: createTestTools({ echo }),
      parser,
    });
    expect(result.messages[2]).toMatchObject({
      content: 'Let me see.',
      tool_calls: [{ function: { name: 'echo', arguments: '{"n":12345678901234567890}' } }],
    });
    expect(result.turns.map((turn) => turn.rawText)).toEqual([text, null]);
  });

  test('leave an empty text, not the tags, where nothing else was said', async () => {
    const model = createTestModel([{ content: 'CALL echo {}' }, { content: 'done' }]);
    const result = await run({ model, tools: createTestTools({ echo }), parser });
    expect(result.messages[2]).toMatchObject({ content: '' });
  });

  test('with unknown names are kept, so that the model hears of it', async () => {
    const model = createTestModel([{ content: 'CALL ecko {}' }, { content: 'done' }]);
    const result = await run({ model, tools: createTestTools({ echo }), parser });
    expect(result.toolErrors).toMatchObject([{ toolName: 'ecko', kind: 'unknown_tool' }]);
  });

  test.each([
    ['without a parser', { parser: null, tools: createTestTools({ echo }) }],
    ['without tools', { parser, tools: createTestTools({}) }],
  ])('are plain text %s', async (_case, options) => {
    const result = await run({ model: createTestModel([{ content: 'CALL echo {}' }]), ...options });
    expect(result).toMatchObject({ stopReason: 'completed', finishedNaturally: true });
    expect(finalResponse(result)).toBe('CALL echo {}');
  });

  test('are not looked for beside structured calls', async () => {
    const model = createTestModel([{ ...callEcho, content: 'CALL echo {}' }, { content: 'done' }]);
    const result = await run({ model, tools: createTestTools({ echo }), parser });
    expect(toolCallsOf(result)).toHaveLength(1);
    expect(result.messages[2]).toMatchObject({ content: 'CALL echo {}' });
  });

  test('that are broken are told to the model once; the second time in a row ends the conversation', async () => {
    const broken = { content: 'CALL echo {' };
    const model = createTestModel([broken, { content: 'CALL echo {}' }, broken, broken]);
    const result = await run({ model, tools: createTestTools({ echo }), parser });
    expect(result).toMatchObject({
      stopReason: 'malformed_call',
      finishedNaturally: false,
      turnsUsed: 4,
      error: { boundary: 'parse', code: 'parse.malformed-call', retryable: false },
    });
    expect(result.messages[3]).toEqual({
      role: 'user',
      content: expect.stringContaining('- no JSON object in CALL echo {'),
    });
    expect(result.messages.filter((message) => message.role === 'user')).toHaveLength(3);
    expect(result.turns[0]?.parseErrors).toEqual(['no JSON object in CALL echo {']);
    expect(result.toolErrors).toMatchObject([{ turn: 1, kind: 'malformed_call', arguments: 'CALL echo {' }, {}, {}]);
  });

  test('that are broken by the thousand do not swell the record', async () => {
    const broken = { content: 'CALL echo {\n'.repeat(5_000) };
    const model = createTestModel([broken, broken]);
    const result = await run({ model, tools: createTestTools({ echo }), parser });
    expect(result.stopReason).toBe('malformed_call');
    expect(result.turns[0]?.parseErrors).toHaveLength(20);
    expect(result.messages[3]?.content?.length).toBeLessThan(500);
    expect(result.error?.message.length).toBeLessThan(500);
  });

  test('that are broken are not answered where no turn is left', async () => {
    const model = createTestModel([{ content: 'CALL echo {' }]);
    const result = await run({ model, tools: createTestTools({ echo }), parser, maxTurns: 1 });
    expect(result.stopReason).toBe('max_turns');
    expect(result.messages.at(-1)).toMatchObject({ role: 'assistant' });
  });

  test('beside broken ones still count', async () => {
    const model = createTestModel([{ content: 'CALL echo {\nCALL echo {}' }, { content: 'done' }]);
    const result = await run({ model, tools: createTestTools({ echo }), parser });
    expect(result.stopReason).toBe('completed');
    expect(toolCallsOf(result)).toHaveLength(1);
    expect(result.toolErrors).toMatchObject([{ kind: 'malformed_call' }]);
  });

  test('of a known format are reported where no parser is set', async () => {
    const logger = createMemoryLogger();
    const model = createTestModel([{ content: '<tool_call>\n{"name": "echo", "arguments": {}}\n</tool_call>' }]);
    await run({ model, tools: createTestTools({ echo }), logger });
    expect(logger.entries).toContainEqual({
      level: 'warn',
      event: 'agent-loop.foreign-format',
      fields: { turn: 1, formats: expect.arrayContaining(['hermes']), configured: null },
    });
  });

  test('of another format are reported with its name', async () => {
    const logger = createMemoryLogger();
    const knownParsers = [parser, createTestParser('other', '<<call>>'), createTestParser('silent', '[call]')];
    const model = createTestModel([{ content: '<<call>>echo {}' }]);
    const result = await run({ model, tools: createTestTools({ echo }), parser, knownParsers, logger });
    expect(result.stopReason).toBe('completed');
    expect(logger.entries).toContainEqual({
      level: 'warn',
      event: 'agent-loop.foreign-format',
      fields: { turn: 1, formats: ['other'], configured: 'lines' },
    });
  });
});

describe('an answer that is cut', () => {
  const parser = createTestParser();
  const cutCall = { name: 'echo', arguments: '{"text": "rm -rf bui' };

  test('is no natural end', async () => {
    const model = createTestModel([{ content: 'The answer is', finishReason: 'length' }]);
    const result = await run({ model, tools: createTestTools({}) });
    expect(result).toMatchObject({ stopReason: 'truncated', finishedNaturally: false, error: null });
    expect(finalResponse(result)).toBe('The answer is');
  });

  test('inside its only structured call is not run, but answered', async () => {
    const tools = createTestTools({ echo });
    const result = await run({ model: createTestModel([{ toolCalls: [cutCall], finishReason: 'length' }]), tools });
    expect(tools.started).toEqual([]);
    expect(result).toMatchObject({ stopReason: 'truncated', turnsUsed: 1, toolErrors: [{ kind: 'invalid_args' }] });
    expect(result.messages.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('not run') });
  });

  test('before the arguments of its only call began is not run', async () => {
    const tools = createTestTools({ echo });
    const call = { name: 'echo', arguments: '' };
    const result = await run({ model: createTestModel([{ toolCalls: [call], finishReason: 'length' }]), tools });
    expect(tools.started).toEqual([]);
    expect(result.stopReason).toBe('truncated');
  });

  test('inside a later call runs the complete ones and goes on', async () => {
    const tools = createTestTools({ echo });
    const toolCalls = [{ name: 'echo', arguments: { n: 1 } }, cutCall];
    const model = createTestModel([{ toolCalls, finishReason: 'length' }, { content: 'done' }]);
    const result = await run({ model, tools });
    expect(tools.started).toEqual(['echo']);
    expect(result).toMatchObject({ stopReason: 'completed', turnsUsed: 2 });
    expect(result.messages[3]).toMatchObject({ content: '{"n":1}' });
    expect(result.messages[4]).toMatchObject({ content: expect.stringContaining('not run') });
  });

  test('inside a call written as text runs only the complete ones', async () => {
    const tools = createTestTools({ echo });
    const cut = { content: 'CALL echo {}\nCALL echo {"a', finishReason: 'length' as const };
    const result = await run({ model: createTestModel([cut, { content: 'done' }]), tools, parser });
    expect(tools.started).toEqual(['echo']);
    expect(result.stopReason).toBe('completed');
  });

  test('inside its only call written as text is truncated, not malformed', async () => {
    const cut = { content: 'CALL echo {"a', finishReason: 'length' as const };
    const result = await run({ model: createTestModel([cut]), tools: createTestTools({ echo }), parser });
    expect(result.stopReason).toBe('truncated');
  });

  test('by a content filter inside a call is not run', async () => {
    const tools = createTestTools({ echo });
    const model = createTestModel([{ toolCalls: [cutCall], finishReason: 'content_filter' }]);
    const result = await run({ model, tools });
    expect(tools.started).toEqual([]);
    expect(result).toMatchObject({ stopReason: 'truncated', error: { code: 'model.content-filter' } });
  });

  test('by a content filter says so', async () => {
    const model = createTestModel([{ content: 'Well,', finishReason: 'content_filter' }]);
    const result = await run({ model, tools: createTestTools({}) });
    expect(result).toMatchObject({
      stopReason: 'truncated',
      finishedNaturally: false,
      error: { code: 'model.content-filter' },
    });
  });
});

describe('an empty answer', () => {
  test('is asked for once more, without a message', async () => {
    const model = createTestModel([{ content: ' \n' }, { content: '4' }]);
    const result = await run({ model, tools: createTestTools({}) });
    expect(result).toMatchObject({ stopReason: 'completed', finishedNaturally: true, turnsUsed: 2, error: null });
    expect(result.messages).toEqual([...messages, { role: 'assistant', content: '4' }]);
    expect(model.requests[1]).toEqual(model.requests[0]);
  });

  test('twice in a row ends the conversation, and says so', async () => {
    const model = createTestModel([{}, callEcho, {}, {}]);
    const result = await run({ model, tools: createTestTools({ echo }) });
    expect(result).toMatchObject({
      stopReason: 'completed',
      finishedNaturally: false,
      turnsUsed: 4,
      error: { boundary: 'model', code: 'model.empty-answer', retryable: false },
    });
    expect(finalResponse(result)).toBeNull();
  });

  test('is none where the model only thought', async () => {
    const result = await run({ model: createTestModel([{ reasoning: 'hm' }]), tools: createTestTools({}) });
    expect(result).toMatchObject({ finishedNaturally: true, turnsUsed: 1 });
    expect(finalResponse(result)).toBe('');
  });
});

describe('a failure', () => {
  test('of the model keeps what was said so far', async () => {
    const error = new ModelError('503 from the endpoint', { code: 'model.unavailable', retryable: true });
    const result = await run({ model: createTestModel([callEcho, { error }]), tools: createTestTools({ echo }) });
    expect(result).toMatchObject({
      stopReason: 'model_error',
      finishedNaturally: false,
      turnsUsed: 2,
      reasoningPerTurn: [null],
      error: { boundary: 'model', code: 'model.unavailable', retryable: true, message: '503 from the endpoint' },
    });
    expect(result.messages).toHaveLength(4);
  });

  test('of the first call leaves the messages as they were', async () => {
    const model = createTestModel([{ error: new Error('surprise') }]);
    const result = await run({ model, tools: createTestTools({}) });
    expect(result).toMatchObject({ stopReason: 'model_error', turnsUsed: 1, error: { code: 'model.unexpected' } });
    expect(result.messages).toEqual(messages);
    expect(finalResponse(result)).toBeNull();
  });

  test('for want of context is the end of a long conversation, not of the endpoint', async () => {
    const error = new ModelError('too long', { code: 'model.context-overflow' });
    const result = await run({ model: createTestModel([callEcho, { error }]), tools: createTestTools({ echo }) });
    expect(result).toMatchObject({ stopReason: 'truncated', error: { code: 'model.context-overflow' } });
  });

  test('of the sandbox ends the conversation; later calls are answered, not run', async () => {
    const lost = new SandboxError('container gone', {
      code: 'sandbox.lost',
      backend: 'docker',
      phase: 'exec',
      started: true,
      retryable: true,
    });
    const lose: TestTool = {
      execute: () => {
        throw lost;
      },
    };
    const tools = createTestTools({ echo, lose });
    const toolCalls = ['echo', 'lose', 'echo'].map((name) => ({ name, arguments: {} }));
    const result = await run({ model: createTestModel([{ toolCalls }, { content: 'never' }]), tools });
    expect(tools.started).toEqual(['echo', 'lose']);
    expect(result).toMatchObject({
      stopReason: 'sandbox_lost',
      turnsUsed: 1,
      error: { boundary: 'sandbox', code: 'sandbox.lost', retryable: true },
      toolErrors: [{ kind: 'sandbox_lost' }, { kind: 'sandbox_lost' }],
    });
  });
});
