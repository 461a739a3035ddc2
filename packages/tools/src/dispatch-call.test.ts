import { describe, expect, test } from '@jest/globals';
import { createSemaphore, type JsonObject, type JsonValue, SandboxError, Secret } from '@talaria/core';
import { createManualClock, createMemoryLogger } from '@talaria/core/testing';
import { createFakeSandbox } from '@talaria/terminal-backends/testing';
import { denyAll } from './approval-policy.ts';
import { defineTool, type ToolOptions } from './define-tool.ts';
import { createTestDispatcher, type TestDispatcher, type TestDispatcherOptions } from './testing/index.ts';
import type { ToolCallContext, ToolResult } from './tool.ts';
import { createToolRegistry } from './tool-registry.ts';
import { inferToolError, toolError, toolText } from './tool-result.ts';

type Execute = (args: JsonObject, context: ToolCallContext) => JsonValue | ToolResult | Promise<JsonValue | ToolResult>;

const parameters = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer', minimum: 1 },
    loud: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    kind: { type: 'string', enum: ['a', 'b'] },
  },
};

function dispatcherOf(
  execute: Execute,
  tool: Partial<ToolOptions> = {},
  options: TestDispatcherOptions = {},
): TestDispatcher {
  const defined = defineTool({ name: 'echo', description: 'Echo.', toolset: 'mine', parameters, ...tool, execute });
  return createTestDispatcher({ view: createToolRegistry({ tools: [defined] }).view(), ...options });
}

const echo: Execute = (args) => ({ got: args });

describe('names', () => {
  test('an unknown name lists what there is and the nearest', async () => {
    const { content, isError, errorKind } = await dispatcherOf(echo).call('ecko', {});
    expect({ isError, errorKind }).toEqual({ isError: true, errorKind: 'unknown_tool' });
    expect(content).toBe(
      '{"error":"Unknown tool: ecko. Available: echo. Did you mean echo?","error_kind":"unknown_tool"}',
    );
  });

  test('a name that a broken stream doubled is not repaired, only explained', async () => {
    const { content, isError } = await dispatcherOf(echo).call('echoecho', {});
    expect(isError).toBe(true);
    expect(content).toContain('Did you mean echo?');
  });

  test('at most forty names are listed', async () => {
    const tools = Array.from({ length: 60 }, (_, index) =>
      defineTool({ name: `tool_${index + 100}`, description: '', toolset: 't', parameters, execute: echo }),
    );
    const dispatcher = createTestDispatcher({ view: createToolRegistry({ tools }).view() });
    const { content } = await dispatcher.call('something_else', {});
    expect(content).toContain('tool_139, and 20 more');
    expect(content).not.toContain('tool_140');
  });

  test('a tool outside the view cannot be called, though the registry has it', async () => {
    const registry = createToolRegistry({
      tools: ['in', 'out'].map((name) =>
        defineTool({ name, description: '', toolset: name, parameters, execute: echo }),
      ),
    });
    const dispatcher = createTestDispatcher({ view: registry.view({ enabled: ['in'] }) });
    expect((await dispatcher.call('out', {})).errorKind).toBe('unknown_tool');
    expect((await dispatcher.call('in', {})).errorKind).toBeNull();
  });

  test('clarify where nobody can be asked gives advice', async () => {
    const { errorKind, content } = await dispatcherOf(echo).call('clarify', { question: 'which?' });
    expect(errorKind).toBe('not_available');
    expect(content).toContain('sensible default');
  });
});

describe('arguments', () => {
  test.each([
    ['not JSON', '{"text": ', 'not valid JSON'],
    ['two objects of a broken stream', '{"text":"a"}{"text":"a"}', 'not valid JSON'],
    ['JSON null', 'null', 'but are null'],
    ['an array', '[1,2]', 'but are an array of 2'],
    ['a number', '7', 'but are the number 7'],
    ['a string', '"text"', 'but are the string'],
    ['a boolean', 'true', 'but are the boolean true'],
    ['the wrong type', '{"count":"3"}', '"count" must be integer, but is the string "3"'],
    ['a value out of range', '{"count":0}', '"count" must be >= 1, but is the number 0'],
    ['a value that is not allowed', '{"kind":"c"}', '"kind" must be one of "a", "b", but is the string "c"'],
    ['a wrong item of a list', '{"tags":["a",2]}', '"tags[1]" must be string, but is the number 2'],
    ['null for a field', '{"text":null}', '"text" must be string, but is null'],
  ])('%s: the tool does not run and the model is told', async (_case, text, message) => {
    let runs = 0;
    const dispatcher = dispatcherOf(() => {
      runs += 1;
      return '';
    });
    const outcome = await dispatcher.call('echo', text);
    expect(outcome).toMatchObject({ isError: true, errorKind: 'invalid_args', toolName: 'echo', toolCallId: 'call_1' });
    expect(JSON.parse(outcome.content).error).toContain(message);
    expect(runs).toBe(0);
  });

  test('absent arguments mean an empty object, where no field is required', async () => {
    for (const given of ['', null, undefined, {}]) {
      // Providers send what the types do not allow.
      const call = { id: 'x', type: 'function', function: { name: 'echo', arguments: given as string } } as const;
      expect((await dispatcherOf(echo).dispatch(call)).content).toBe('{"got":{}}');
      const strict = dispatcherOf(echo, { parameters: { ...parameters, required: ['text'] } });
      expect(await strict.dispatch(call)).toMatchObject({ isError: true, errorKind: 'invalid_args' });
    }
  });

  test('an object is used as it is', async () => {
    const given = { text: 'a' } as unknown as string;
    const call = { id: 'x', type: 'function', function: { name: 'echo', arguments: given } } as const;
    expect((await dispatcherOf(echo).dispatch(call)).content).toBe('{"got":{"text":"a"}}');
  });

  test('unknown fields are dropped and told, also without leniency', async () => {
    const outcome = await dispatcherOf(echo).call('echo', { text: 'a', extra: 1 });
    expect(outcome).toMatchObject({
      content: '{"got":{"text":"a"}}',
      isError: false,
      coercions: ['dropped unknown property "extra"'],
    });
  });

  test('__proto__ never reaches the tool', async () => {
    const outcome = await dispatcherOf((args) => Object.keys(args)).call('echo', '{"__proto__":{"x":1},"text":"a"}');
    expect(outcome.content).toBe('["text"]');
  });

  test.each([
    ['text as integer', { count: '12' }, { count: 12 }, 'count: "12" taken as 12'],
    ['number as text', { text: 12 }, { text: '12' }, 'text: 12 taken as "12"'],
    ['text as boolean', { loud: 'True' }, { loud: true }, 'loud: "True" taken as true'],
    ['one value as list', { tags: 'a' }, { tags: ['a'] }, 'tags: a single value taken as a list of one'],
    ['null as absent', { text: null, count: 1 }, { count: 1 }, 'text: null taken as absent'],
    ['items of a list', { tags: ['a', 1] }, { tags: ['a', '1'] }, 'tags[1]: 1 taken as "1"'],
  ])('lenient: %s', async (_case, given, got, coercion) => {
    const lenient = dispatcherOf(echo, {}, { lenientArguments: true });
    expect(await lenient.call('echo', given)).toMatchObject({
      content: JSON.stringify({ got }),
      coercions: [coercion],
    });
    expect((await dispatcherOf(echo).call('echo', given)).errorKind).toBe('invalid_args');
  });

  test.each([
    [undefined, false, false],
    [undefined, true, true],
    [null, true, true],
    [false, true, false],
    [true, false, true],
  ])('leniency %p with a call from text %p: coerced %p', async (lenientArguments, isFromText, isCoerced) => {
    const dispatcher = dispatcherOf(echo, {}, { lenientArguments });
    const call = { id: 'call_1', type: 'function', function: { name: 'echo', arguments: '{"count":"2"}' } } as const;
    const { errorKind, coercions } = await dispatcher.dispatch(call, { isFromText });
    expect([errorKind, coercions.length]).toEqual(isCoerced ? [null, 1] : ['invalid_args', 0]);
  });

  test('lenient still refuses what does not nearly fit', async () => {
    const lenient = dispatcherOf(echo, {}, { lenientArguments: true });
    expect((await lenient.call('echo', { count: 'twelve' })).errorKind).toBe('invalid_args');
  });

  test('a message of many faults stays short', async () => {
    const tags = Array.from({ length: 500 }, (_, index) => index);
    const { content } = await dispatcherOf(echo).call('echo', { tags });
    expect(content).toContain('and 495 more');
  });
});

describe('results', () => {
  test.each<[string, JsonValue | ToolResult, string, boolean, string | null]>([
    ['text as it is', 'plain {"error":"x"}', 'plain {"error":"x"}', false, null],
    ['an object as JSON without escapes', { text: 'größer →' }, '{"text":"größer →"}', false, null],
    ['nothing as an empty object', undefined as unknown as JsonValue, '{}', false, null],
    ['a list', [1, 2], '[1,2]', false, null],
    ['an error field', { error: 'no' }, '{"error":"no"}', true, 'internal'],
    [
      'an error field with its kind',
      { error: 'no', error_kind: 'network' },
      '{"error":"no","error_kind":"network"}',
      true,
      'network',
    ],
    ['an empty error field', { error: null, exit_code: 1 }, '{"error":null,"exit_code":1}', false, null],
    ['a negative exit code', { exit_code: -1 }, '{"exit_code":-1}', true, 'internal'],
    ['no success', { success: false }, '{"success":false}', true, 'internal'],
    [
      'toolError',
      toolError('not_found', 'gone', { path: 'x' }),
      '{"error":"gone","error_kind":"not_found","path":"x"}',
      true,
      'not_found',
    ],
    ['toolText', toolText('{"error":"quoted"}'), '{"error":"quoted"}', false, null],
  ])('%s', async (_case, result, content, isError, errorKind) => {
    expect(await dispatcherOf(() => result).call('echo', {})).toMatchObject({ content, isError, errorKind });
  });

  test('what cannot be written as JSON is an error', async () => {
    const cycle: Record<string, JsonValue> = {};
    cycle['self'] = cycle;
    expect(await dispatcherOf(() => cycle).call('echo', {})).toMatchObject({ isError: true, errorKind: 'internal' });
  });

  test('what a tool throws becomes an error result without a stack, and is logged', async () => {
    const logger = createMemoryLogger();
    const dispatcher = dispatcherOf(() => JSON.parse('{'), {}, { logger });
    const outcome = await dispatcher.call('echo', {});
    expect(outcome).toMatchObject({ isError: true, errorKind: 'internal' });
    expect(outcome.content).not.toMatch(/\bat \w+.*:\d+/);
    expect(logger.entries.map(({ event }) => event)).toEqual(['tool.failed']);
  });

  test('a tool of another make that throws at once is no different', async () => {
    const tool = { ...defineTool({ name: 'raw', description: '', toolset: 't', parameters, execute: echo }) };
    const throwing = {
      ...tool,
      execute: () => {
        throw new TypeError('at once');
      },
    };
    const dispatcher = createTestDispatcher({ view: createToolRegistry({ tools: [throwing] }).view() });
    expect(await dispatcher.call('raw', {})).toMatchObject({ isError: true, errorKind: 'internal' });
  });

  test.each([
    ['sandbox.not-found', 'not_found'],
    ['sandbox.permission', 'permission'],
    ['sandbox.too-large', 'too_large'],
    ['sandbox.failed', 'internal'],
  ] as const)('a failed file operation %s is told as %s', async (code, errorKind) => {
    const error = new SandboxError('it failed', { code, backend: 'local', phase: 'transfer', started: false });
    const dispatcher = dispatcherOf(() => Promise.reject(error));
    expect(await dispatcher.call('echo', {})).toMatchObject({ isError: true, errorKind });
  });

  test.each([
    ['{"error":"x"}', true],
    ['{"success":false}', true],
    ['{"error":null,"exit_code":1}', false],
    ['plain', false],
    ['[{"error":"x"}]', false],
  ])('inferToolError(%p) is %p', (content, expected) => {
    expect(inferToolError(content)).toBe(expected);
  });
});

describe('time, abort and loss', () => {
  test('a call that takes too long is stopped and told', async () => {
    const clock = createManualClock();
    const dispatcher = dispatcherOf(
      (_args, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      {},
      { clock, maxToolMs: 5_000 },
    );
    const pending = dispatcher.call('echo', {});
    await clock.advance(5_000);
    expect(await pending).toMatchObject({ isError: true, errorKind: 'timeout' });
    expect(clock.pendingCount).toBe(0);
  });

  test('a tool that does not hear the signal is left after a grace time', async () => {
    const clock = createManualClock();
    const logger = createMemoryLogger();
    const dispatcher = dispatcherOf(() => new Promise(() => undefined), { timeoutMs: 1_000 }, { clock, logger });
    const pending = dispatcher.call('echo', {});
    await clock.advance(11_000);
    expect(await pending).toMatchObject({ errorKind: 'timeout' });
    expect(logger.entries.map(({ event }) => event)).toEqual(['tool.abandoned']);
  });

  test('a result that came all the same is not thrown away', async () => {
    const clock = createManualClock();
    const dispatcher = dispatcherOf(() => clock.sleep(6_000).then(() => 'late'), {}, { clock, maxToolMs: 5_000 });
    const pending = dispatcher.call('echo', {});
    await clock.advance(6_000);
    expect(await pending).toMatchObject({ content: 'late', isError: false });
  });

  test('the caller’s abort rejects with its reason, once the tool has stopped', async () => {
    const controller = new AbortController();
    let stopped = false;
    const started = Promise.withResolvers<void>();
    const dispatcher = dispatcherOf(
      (_args, { signal }) =>
        new Promise((_, reject) => {
          started.resolve();
          signal.addEventListener('abort', () => {
            stopped = true;
            reject(new TypeError('another error'));
          });
        }),
    );
    const pending = dispatcher.call('echo', {}, controller.signal);
    const reason = { why: 'stop' };
    await started.promise;
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    expect(stopped).toBe(true);
  });

  test('an abort before the call runs nothing', async () => {
    const reason = { why: 'stop' };
    await expect(dispatcherOf(echo).call('echo', {}, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test.each(['sandbox.lost', 'sandbox.closed'] as const)('%s rejects', async (code) => {
    const error = new SandboxError('gone', { code, backend: 'local', phase: 'exec', started: false });
    await expect(dispatcherOf(() => Promise.reject(error)).call('echo', {})).rejects.toBe(error);
  });

  test('a sandbox that cannot be opened rejects, though the tool caught the error', async () => {
    const dispatcher = dispatcherOf((_args, { sandbox }) =>
      sandbox().then(
        () => 'fine',
        () => 'caught',
      ),
    );
    await expect(dispatcher.call('echo', {})).rejects.toMatchObject({ message: 'This test dispatcher has no sandbox' });
  });

  test('waiting for a place is not the tool’s time, and can be aborted', async () => {
    const clock = createManualClock();
    const semaphore = createSemaphore(1);
    const place = await semaphore.acquire();
    const dispatcher = dispatcherOf(echo, { timeoutMs: 10 }, { clock, semaphore });
    const pending = dispatcher.call('echo', {});
    const aborted = dispatcher.call('echo', {}, AbortSignal.abort('no'));
    await expect(aborted).rejects.toBe('no');
    await clock.advance(1_000);
    place[Symbol.dispose]();
    expect((await pending).isError).toBe(false);
    expect(semaphore.activeCount).toBe(0);
  });
});

describe('what tools are given', () => {
  test('how often the same call was made in a row', async () => {
    const dispatcher = dispatcherOf((_args, { repeatCount }) => repeatCount);
    const counts = [];
    for (const text of ['a', 'a', 'a', 'b', 'a']) counts.push((await dispatcher.call('echo', { text })).content);
    expect(counts).toEqual(['1', '2', '3', '1', '1']);
  });

  test('the names of the offered tools, the ids and the settings', async () => {
    const dispatcher = dispatcherOf(
      (_args, { taskId, rolloutId, toolCallId, enabledTools, settings }) => [
        taskId,
        rolloutId,
        toolCallId,
        [...enabledTools],
        settings.repeatPolicy,
      ],
      {},
      { settings: { repeatPolicy: 'off' } },
    );
    expect((await dispatcher.call('echo', {})).content).toBe('["task","rollout","call_1",["echo"],"off"]');
  });
});

test('a denied call says by which rule and that trying again is no use', async () => {
  const outcome = await dispatcherOf(echo, {}, { approval: denyAll }).call('echo', {});
  expect(outcome).toMatchObject({ isError: true, errorKind: 'blocked' });
  expect(JSON.parse(outcome.content)).toMatchObject({
    status: 'blocked',
    error: expect.stringContaining('no call of echo'),
  });
});

describe('secrets', () => {
  const key = new Secret('MODEL_KEY', 'sk-0123456789');
  const quoted = new Secret('QUOTED', 'pa"ss\\word');
  const longer = new Secret('LONGER', 'sk-0123456789-and-more');

  test.each<[string, JsonValue | ToolResult, string]>([
    ['text', 'key=sk-0123456789, again sk-0123456789', 'key=[redacted:MODEL_KEY], again [redacted:MODEL_KEY]'],
    ['a text that JSON escapes', { output: 'is pa"ss\\word' }, '{"output":"is [redacted:QUOTED]"}'],
    ['the same as plain text', 'is pa"ss\\word', 'is [redacted:QUOTED]'],
    ['one that holds another', 'sk-0123456789-and-more', '[redacted:LONGER]'],
    [
      'an error',
      toolError('internal', 'no sk-0123456789'),
      '{"error":"no [redacted:MODEL_KEY]","error_kind":"internal"}',
    ],
    ['what only looks like one', 'password = sk-012345678', 'password = sk-012345678'],
  ])('are taken out of %s', async (_case, returned, content) => {
    const dispatcher = dispatcherOf(() => returned, {}, { secrets: [key, quoted, longer] });
    expect((await dispatcher.call('echo', {})).content).toBe(content);
  });

  test('are taken out of what a tool throws, and out of what is stored', async () => {
    const throwing = dispatcherOf(() => Promise.reject(new Error('bad sk-0123456789')), {}, { secrets: [key] });
    expect((await throwing.call('echo', {})).content).toContain('bad [redacted:MODEL_KEY]');
    const sandbox = createFakeSandbox();
    const long = `${'x'.repeat(200)} sk-0123456789`;
    const view = createToolRegistry({
      tools: [
        defineTool({
          name: 'read_file',
          description: '',
          toolset: 't',
          parameters,
          maxResultChars: 100,
          execute: () => long,
        }),
      ],
    }).view();
    const { storedAt } = await createTestDispatcher({ view, sandbox, secrets: [key] }).call('read_file', {});
    expect(sandbox.textOf(storedAt ?? 'nowhere')).toBe(`${'x'.repeat(200)} [redacted:MODEL_KEY]`);
  });
});

describe('whatever comes, a call has an outcome', () => {
  test.each([
    ['lists', `{"any":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['objects', `${'{"any":'.repeat(10_000)}{}${'}'.repeat(10_000)}`],
  ])('arguments of ten thousand %s within each other', async (_title, args) => {
    const open = { parameters: { type: 'object', properties: { any: {} } } };
    for (const lenientArguments of [true, false]) {
      const outcome = await dispatcherOf(echo, open, { lenientArguments }).call('echo', args);
      expect(outcome).toMatchObject({ errorKind: 'invalid_args', content: expect.stringContaining('levels deep') });
    }
    const shallow = `{"any":${'['.repeat(100)}${']'.repeat(100)}}`;
    expect((await dispatcherOf(echo, open).call('echo', shallow)).isError).toBe(false);
  });

  test('a hundred thousand unknown fields are dropped, and a few of them told', async () => {
    const args = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`field${index}`, 1]));
    const { coercions, isError } = await dispatcherOf(echo).call('echo', args);
    expect(isError).toBe(false);
    expect(coercions).toHaveLength(21);
    expect(coercions.at(-1)).toBe('and 99980 more');
  });

  test('a key __proto__ gives a value no other fields', async () => {
    const item = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
    const schema = { type: 'object', properties: { list: { type: 'array', items: item } } };
    const dispatcher = dispatcherOf(echo, { parameters: schema }, { lenientArguments: true });
    // Providers may send an object, of which nothing was taken out when it was parsed.
    const args: unknown = JSON.parse('{"list":[{"__proto__":{"id":"x"}}]}');
    const call = { id: 'a', type: 'function', function: { name: 'echo', arguments: args as string } } as const;
    expect((await dispatcher.dispatch(call)).errorKind).toBe('invalid_args');
  });

  test.each<[string, () => unknown]>([
    ['a function', () => () => 1],
    ['a symbol', () => Symbol('x')],
    ['a number without JSON', () => 5n],
  ])('a tool that returns %s', async (_title, execute) => {
    const outcome = await dispatcherOf(execute as Execute).call('echo', {});
    expect(outcome).toMatchObject({ errorKind: 'internal', content: expect.stringContaining('as JSON') });
  });

  test('an approval that fails allows nothing', async () => {
    const logger = createMemoryLogger();
    const approval = (): never => {
      throw new TypeError('broken');
    };
    let ran = false;
    const dispatcher = dispatcherOf(
      () => {
        ran = true;
        return {};
      },
      {},
      { approval, logger },
    );
    expect(await dispatcher.call('echo', {})).toMatchObject({ errorKind: 'blocked' });
    expect(ran).toBe(false);
    expect(logger.entries.map(({ event }) => event)).toContain('tool.approval-failed');
  });

  test('a schema may mean itself', async () => {
    const schema = { type: 'object', properties: { child: { $ref: '#' }, text: { type: 'string' } } };
    const dispatcher = dispatcherOf(echo, { parameters: schema });
    expect((await dispatcher.call('echo', { child: { child: { text: 'x' } } })).isError).toBe(false);
    expect((await dispatcher.call('echo', { child: { child: { text: 1 } } })).content).toContain('child.child.text');
  });
});

test('wrong limits are refused when the dispatcher is made', () => {
  expect(() => dispatcherOf(echo, {}, { maxToolMs: 0 })).toThrow(expect.objectContaining({ code: 'config.invalid' }));
  expect(() => dispatcherOf(echo, {}, { settings: { maxOutputChars: -1 } })).toThrow(
    expect.objectContaining({ code: 'config.invalid' }),
  );
});
