import { describe, expect, test } from '@jest/globals';
import { type JsonValue, SandboxError } from '@talaria/core';
import { createMemoryLogger } from '@talaria/core/testing';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { createFakeSandbox, type FakeSandbox } from '@talaria/terminal-backends/testing';
import fc from 'fast-check';
import { defineTool } from './define-tool.ts';
import { shortenResult } from './result-limits.ts';
import { createTestDispatcher, type TestDispatcher, type TestDispatcherOptions } from './testing/index.ts';
import type { ToolCallOutcome } from './tool-dispatcher.ts';
import { createToolRegistry } from './tool-registry.ts';
import { toolError, toolText } from './tool-result.ts';

const parameters = { type: 'object', properties: { length: { type: 'integer' } }, required: ['length'] };

function dispatcherOf(options: TestDispatcherOptions & { readonly maxResultChars?: number } = {}): TestDispatcher {
  const { maxResultChars, ...rest } = options;
  const make = (name: string, limit?: number) =>
    defineTool<{ length: number }>({
      name,
      description: '',
      toolset: 't',
      parameters,
      maxResultChars: limit,
      execute: ({ length }) => toolText(`${'line of text\n'.repeat(length / 13)}${'x'.repeat(length % 13)}`),
    });
  const tools = [make('write', maxResultChars), make('read_file', Number.POSITIVE_INFINITY), make('terminal')];
  return createTestDispatcher({ view: createToolRegistry({ tools }).view(), ...rest });
}

function storedText(sandbox: FakeSandbox, outcome: ToolCallOutcome): string | undefined {
  return sandbox.textOf(outcome.storedAt ?? 'nowhere');
}

describe('one result', () => {
  test('above its limit is stored whole, and begins with a preview that ends at a line', async () => {
    const sandbox = createFakeSandbox();
    const outcome = await dispatcherOf({ sandbox }).call('write', { length: 100_001 });
    expect(outcome.storedAt).toMatch(/^.*\/talaria-results\/call_1-[0-9a-f]{8}\.txt$/);
    expect(storedText(sandbox, outcome)).toHaveLength(100_001);
    expect(outcome.content).toMatch(/^<persisted-output>\nThe result has 100001 characters/);
    expect(outcome.content).toContain(outcome.storedAt ?? '-');
    expect(outcome.content).toMatch(/\nline of text\n<\/persisted-output>$/);
    expect(outcome.content.length).toBeLessThan(2_000);
    expect(outcome.isError).toBe(false);
  });

  test('at its limit is not', async () => {
    const outcome = await dispatcherOf({ sandbox: createFakeSandbox() }).call('write', { length: 100_000 });
    expect(outcome).toMatchObject({ storedAt: null });
    expect(outcome.content).toHaveLength(100_000);
  });

  test.each([
    ['the tool’s own limit', { maxResultChars: 500 }, 'write', 501, true],
    ['the default of the dispatcher', { resultLimits: { defaultResultChars: 400 } }, 'write', 401, true],
    [
      'an override before the tool’s own',
      { maxResultChars: 500, resultLimits: { overrides: { write: 900 } } },
      'write',
      901,
      true,
    ],
    [
      'an override that allows more',
      { maxResultChars: 500, resultLimits: { overrides: { write: 900 } } },
      'write',
      800,
      false,
    ],
    ['no limit stays none', { resultLimits: { overrides: { read_file: 10 } } }, 'read_file', 150_000, false],
  ])('%s decides', async (_what, options, tool, length, isStored) => {
    const outcome = await dispatcherOf({ sandbox: createFakeSandbox(), ...options }).call(tool, { length });
    expect(outcome.storedAt !== null).toBe(isStored);
  });

  test('identifiers of the provider never choose the path', async () => {
    const sandbox = createFakeSandbox();
    const dispatcher = dispatcherOf({ sandbox, maxResultChars: 10 });
    const paths = new Set<string | null>();
    for (const id of ['../../etc/passwd', '$(touch x)', '', 'a'.repeat(500), 'é', 'é'.repeat(2)]) {
      const call = { id, type: 'function', function: { name: 'write', arguments: '{"length":20}' } } as const;
      const { storedAt } = await dispatcher.dispatch(call);
      expect(storedAt).toMatch(/\/talaria-results\/[A-Za-z0-9_-]{1,64}-[0-9a-f]{8}\.txt$/);
      paths.add(storedAt);
    }
    expect(paths.size).toBe(6);
  });

  test('that cannot be stored is cut instead, and logged', async () => {
    const logger = createMemoryLogger();
    const error = new SandboxError('no space', {
      code: 'sandbox.no-space',
      backend: 'fake',
      phase: 'transfer',
      started: false,
    });
    const sandbox: SandboxHandle = { ...createFakeSandbox(), writeFile: () => Promise.reject(error) };
    const outcome = await dispatcherOf({ sandbox, logger, maxResultChars: 1_000 }).call('write', { length: 5_000 });
    expect(outcome).toMatchObject({ storedAt: null, isError: false });
    expect(outcome.content).toContain('4000 of 5000 characters omitted');
    expect(logger.entries.map(({ event }) => event)).toEqual(['tool.result-not-stored']);
  });

  test('a sandbox lost while it is stored rejects', async () => {
    const error = new SandboxError('gone', {
      code: 'sandbox.lost',
      backend: 'fake',
      phase: 'transfer',
      started: false,
    });
    const sandbox: SandboxHandle = { ...createFakeSandbox(), writeFile: () => Promise.reject(error) };
    await expect(dispatcherOf({ sandbox, maxResultChars: 10 }).call('write', { length: 20 })).rejects.toBe(error);
  });

  test('without a tool that could read a stored file no sandbox is opened; JSON stays JSON', async () => {
    const tool = defineTool({
      name: 'page',
      description: '',
      toolset: 't',
      parameters: { type: 'object' },
      execute: () => ({ url: 'x', content: 'y'.repeat(200_000) }),
    });
    const dispatcher = createTestDispatcher({ view: createToolRegistry({ tools: [tool] }).view() });
    const { content, storedAt } = await dispatcher.call('page', {});
    expect(storedAt).toBeNull();
    expect(content.length).toBeLessThanOrEqual(100_000);
    expect(content.length).toBeGreaterThan(99_000);
    const { url, content: page, truncated_chars: omittedChars } = JSON.parse(content);
    expect(url).toBe('x');
    expect(page).toContain(`${omittedChars} of 200000 characters omitted`);
  });

  test('an error that is stored stays an error', async () => {
    const tool = defineTool({
      name: 'terminal',
      description: '',
      toolset: 't',
      parameters: { type: 'object' },
      execute: () => toolError('not_found', 'e'.repeat(200_000)),
    });
    const sandbox = createFakeSandbox();
    const dispatcher = createTestDispatcher({ sandbox, view: createToolRegistry({ tools: [tool] }).view() });
    const outcome = await dispatcher.call('terminal', {});
    expect(outcome).toMatchObject({ isError: true, errorKind: 'not_found', storedAt: expect.any(String) });
  });
});

describe('one turn', () => {
  const resultLimits = { turnBudgetChars: 12_000 };

  test('within its budget stays as it is', async () => {
    const dispatcher = dispatcherOf({ sandbox: createFakeSandbox(), resultLimits });
    const outcomes = [
      await dispatcher.call('write', { length: 5_000 }),
      await dispatcher.call('write', { length: 5_000 }),
    ];
    expect(await dispatcher.limitTurn(outcomes)).toBe(outcomes);
  });

  test('above it, the largest are stored until the rest fits, in place', async () => {
    const sandbox = createFakeSandbox();
    const dispatcher = dispatcherOf({ sandbox, resultLimits });
    const lengths = [3_000, 9_000, 4_000, 8_000];
    const outcomes = [];
    for (const length of lengths) outcomes.push(await dispatcher.call('write', { length }));
    const limited = await dispatcher.limitTurn(outcomes);
    expect(limited.map(({ storedAt }) => storedAt !== null)).toEqual([false, true, false, true]);
    expect(limited.map(({ toolCallId }) => toolCallId)).toEqual(['call_1', 'call_2', 'call_3', 'call_4']);
    expect(limited[1] && storedText(sandbox, limited[1])).toHaveLength(9_000);
  });

  test.each([
    [300, 1_700],
    [300, 5_000],
    [1_000, 1_400],
  ])('%i results of %i characters become shorter, never longer', async (count, length) => {
    const dispatcher = dispatcherOf({ sandbox: createFakeSandbox() });
    const outcomes = [];
    for (let index = 0; index < count; index += 1) outcomes.push(await dispatcher.call('write', { length }));
    const limited = await dispatcher.limitTurn(outcomes);
    for (const { content } of limited) expect(content.length).toBeLessThanOrEqual(length);
    const total = limited.reduce((sum, { content }) => sum + content.length, 0);
    // Even a path takes its place: what is left is at most that.
    expect(total).toBeLessThanOrEqual(Math.max(200_000, count * 400));
  });

  test('results that are previews already, or shorter than one, stay', async () => {
    const dispatcher = dispatcherOf({ sandbox: createFakeSandbox(), resultLimits: { turnBudgetChars: 100 } });
    const outcomes = [
      await dispatcher.call('write', { length: 120_000 }),
      await dispatcher.call('write', { length: 300 }),
    ];
    expect(await dispatcher.limitTurn(outcomes)).toEqual(outcomes);
  });
});

describe('a result that is cut', () => {
  const page = { url: 'https://a.example/', title: 'T', content: 'y'.repeat(30_000) };
  const results = [page, { ...page, title: 'T'.repeat(400_000) }, { ...page, content: 'short' }];

  test('loses the ends of its longest texts, however deep they are, and keeps the others', () => {
    const shortened = JSON.parse(shortenResult(JSON.stringify({ results }), 20_000));
    expect(shortened.results).toMatchObject([
      {
        url: page.url,
        title: 'T',
        content: expect.stringMatching(/^y+\n\n\.\.\. \[\d+ of 30000 characters omitted\]/),
      },
      { title: expect.stringMatching(/of 400000 characters omitted/), content: expect.stringMatching(/of 30000/) },
      { title: 'T', content: 'short' },
    ]);
    expect(shortened.truncated_chars).toBeGreaterThan(440_000);
  });

  test.each<[string, JsonValue, number]>([
    ['pages with long titles', { results }, 170_000],
    ['a list', results, 20_000],
    ['a long error', { error: 'e'.repeat(500_000), error_kind: 'internal' }, 100_000],
    ['characters that take six as JSON', { output: `${'a'.repeat(50_000)}${'\u0001'.repeat(50_000)}` }, 60_000],
    ['very many short texts', { matches: Array.from({ length: 20_000 }, (_, index) => `line ${index}`) }, 50_000],
    ['very many numbers', { vector: Array.from({ length: 50_000 }, (_, index) => index) }, 50_000],
    ['a long name', { ['k'.repeat(200_000)]: 1 }, 50_000],
    ['quotation marks', { output: '"'.repeat(200_000) }, 2_000],
  ])('stays JSON within its limit: %s', (_what, value, maxChars) => {
    const shortened = shortenResult(JSON.stringify(value), maxChars);
    expect(shortened.length).toBeLessThanOrEqual(maxChars);
    expect(shortened.length).toBeGreaterThan(maxChars * 0.5);
    expect(typeof JSON.parse(shortened)).toBe('object');
  });

  test('stays JSON where it is nested deeper than can be written', () => {
    const deep = `${'['.repeat(20_000)}"${'x'.repeat(50_000)}"${']'.repeat(20_000)}`;
    const shortened = shortenResult(`{"a":${deep}}`, 5_000);
    expect(shortened.length).toBeLessThanOrEqual(5_000);
    expect(JSON.parse(shortened)).toMatchObject({ output: expect.stringContaining('characters omitted') });
  });

  test('stays as it is within its limit', () => {
    expect(shortenResult('{"output":"x"}', 14)).toBe('{"output":"x"}');
  });
});

test('shortening keeps JSON valid and text well-formed, whatever the text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 50, maxLength: 400 }),
      fc.integer({ min: 10, max: 50 }),
      (text, max) => {
        const shortened: { output: string } = JSON.parse(
          shortenResult(JSON.stringify({ output: text, exit_code: 0 }), max),
        );
        expect(shortened.output.isWellFormed()).toBe(true);
        expect(shortenResult(text, max).isWellFormed()).toBe(true);
      },
    ),
  );
});
