import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@talaria/core';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { z } from 'zod';
import { environmentConfigSchema, evaluateEnvironment, processEnvironment, resolveRunConfig } from '../src/index.ts';
import { driverOptions, type NumberItem, numbers, temporaryFolder } from './harness.ts';

/** Environments in JavaScript may return anything; the types say what they should. */
type Anything = never;

function fail(what: string): never {
  throw new Error(what);
}

async function run(environment: ReturnType<typeof numbers>, argv: readonly string[] = []) {
  await using folder = await temporaryFolder();
  return await processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv }));
}

describe('what an environment throws outside of rollouts', () => {
  test.each([
    ['setup', { setup: async () => fail('disk is gone') }],
    ['setup', { setup: () => fail('disk is gone') }],
    ['getNextItem', { items: undefined, getNextItem: async () => fail('disk is gone') }],
    ['getNextItem', { items: () => fail('disk is gone') }],
  ])('ends the run with its name and that of the function: %s', async (method, changes) => {
    await expect(run(numbers(changes))).rejects.toMatchObject({
      code: 'task.environment-failed',
      message: `${method} of numbers failed: disk is gone`,
      cause: { message: 'disk is gone' },
    });
  });

  test('in evalItems and configInit as well', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({ evalItems: () => fail('no list') });
    const options = driverOptions(environment, { folder: folder.path, driver: 'evaluate' });
    await expect(evaluateEnvironment(environment, options)).rejects.toMatchObject({
      message: 'evalItems of numbers failed: no list',
    });
    const sources = { environment: numbers({ configInit: () => fail('no defaults') }), driver: 'process' } as const;
    expect(() => resolveRunConfig({ ...sources, variables: {} })).toThrow(
      expect.objectContaining({
        code: 'task.environment-failed',
        message: 'configInit of numbers failed: no defaults',
      }),
    );
  });

  test('in describeItem costs only the name', async () => {
    const summary = await run(numbers({ describeItem: () => fail('nameless') }));
    expect(summary).toMatchObject({ outcome: 'done' });
    expect(summary.rollouts[0]?.label).toBe('n0');
  });
});

describe('functions that do not wait', () => {
  test('may return their value instead of a promise', async () => {
    const environment = numbers({
      items: undefined,
      getNextItem: (({ itemIndex }: { itemIndex: number }) => ({ id: 'a', number: itemIndex })) as Anything,
      computeReward: (() => 1) as Anything,
    });
    expect(await run(environment)).toMatchObject({ outcome: 'done', meanReward: 1 });
  });
});

describe('a prompt', () => {
  test.each([[undefined], [42], [{ text: 'x' }], [['x']]])('that is %j fails its rollout', async (prompt) => {
    const summary = await run(numbers({ formatPrompt: () => prompt as Anything }));
    expect(summary.rollouts[0]?.failure).toMatchObject({
      boundary: 'framework',
      code: 'task.bad-prompt',
      message: expect.stringMatching(/^formatPrompt of numbers gave /),
    });
  });

  test('that throws names the function', async () => {
    const summary = await run(numbers({ formatPrompt: () => fail('no template') }));
    expect(summary.rollouts[0]?.failure).toMatchObject({ message: 'formatPrompt of numbers failed: no template' });
  });
});

const cycle: Record<string, unknown> = { id: 'a' };
cycle['inner'] = [cycle];

const unstorable: readonly (readonly [string, unknown, string])[] = [
  ['a date', { id: 'a', when: new Date(0) }, 'when is a Date'],
  ['a bigint', { id: 'a', list: [1, 5n] }, 'list[1] is a bigint'],
  ['a map', { id: 'a', inner: { seen: new Map() } }, 'inner.seen is a Map'],
  ['bytes', { id: 'a', bytes: new Uint8Array(3) }, 'bytes is a Uint8Array'],
  ['a function', { id: 'a', check: () => true }, 'check is a function'],
  ['no number', { id: 'a', score: Number.NaN }, 'score is NaN'],
  ['a cycle', cycle, 'inner[0] leads back to itself'],
  ['a prototype', JSON.parse('{"id":"a","__proto__":{"x":1}}'), 'it has a key __proto__'],
];

describe('what cannot be stored', () => {
  test.each(unstorable)('is refused in an item: %s', async (_title, item, where) => {
    const environment = numbers({ items: undefined, getNextItem: async () => item as NumberItem });
    await expect(run(environment)).rejects.toMatchObject({
      code: 'task.bad-item',
      message: expect.stringContaining(where),
    });
  });

  test.each(unstorable)('fails the grading of its rollout in an info: %s', async (_title, info, where) => {
    const summary = await run(numbers({ computeReward: async () => ({ reward: 1, info: info as JsonObject }) }));
    expect(summary.rollouts[0]).toMatchObject({
      reward: null,
      failure: { boundary: 'grader', code: 'task.bad-reward', message: expect.stringContaining(where) },
    });
  });

  test('an object that stands in two places is no cycle', async () => {
    const shared = { x: 1 };
    const item = { id: 'a', number: 0, left: shared, right: [shared, shared] };
    expect(await run(numbers({ items: [item] }))).toMatchObject({ outcome: 'done' });
  });
});

test.each([
  ['1', "'1'"],
  [{ reward: '1' }, "'1'"],
  [{ reward: 1, parts: { a: null } }, 'null'],
  [{ reward: 1, parts: 3 }, '3'],
  [{ reward: 1, info: 'text' }, "'text'"],
])('a reward of %j is told as it is', async (reward, shown) => {
  const summary = await run(numbers({ computeReward: async () => reward as Anything }));
  expect(summary.rollouts[0]?.failure).toMatchObject({
    code: 'task.bad-reward',
    message: expect.stringContaining(`gave ${shown} for `),
  });
});

test.each([['--group-size'], ['--concurrency']])('%s has a limit that memory can bear', (flag) => {
  const sources = { environment: numbers(), driver: 'process', variables: {} } as const;
  expect(() => resolveRunConfig({ ...sources, argv: [flag, '1e9'] })).toThrow(
    expect.objectContaining({ code: 'config.invalid', message: expect.stringContaining('1000000000') }),
  );
  resolveRunConfig({ ...sources, argv: [flag, '10000'] });
});

test.each([[{}], [{ parse() {} }], ['schema']])('a configSchema that is %j is refused by name', (configSchema) => {
  const environment = { ...numbers(), configSchema: configSchema as Anything };
  expect(() => resolveRunConfig({ environment, driver: 'process', variables: {} })).toThrow(
    expect.objectContaining({ code: 'task.bad-schema', message: expect.stringContaining('numbers') }),
  );
});

test.each([
  [
    'another type for a base field',
    { group_size: z.string().default('x') },
    /makes group_size string, which is integer/,
  ],
  ['a name with a dot', { 'my.field': z.int().default(1) }, /has a field named "my\.field"/],
])('a configSchema that has %s is refused', (_title, fields, message) => {
  const environment = { ...numbers(), configSchema: environmentConfigSchema.extend(fields) as Anything };
  expect(() => resolveRunConfig({ environment, driver: 'process', variables: {} })).toThrow(
    expect.objectContaining({ code: 'task.bad-schema', message: expect.stringMatching(message) }),
  );
});

test('a file that the model did not leave is a failure of the reward, not of the sandbox', async () => {
  await using folder = await temporaryFolder();
  const backend = createLocalBackend({ stateFolder: join(folder.path, 'state'), environment: process.env });
  const environment = numbers({
    computeReward: async (_item, _result, { readText }) => (await readText('~/a.txt')).length,
  });
  const summary = await processEnvironment(
    environment,
    driverOptions(environment, { folder: folder.path, changes: { backend } }),
  );
  expect(summary.rollouts[0]).toMatchObject({
    reward: null,
    failure: {
      boundary: 'grader',
      code: 'sandbox.not-found',
      retryable: false,
      message: expect.stringContaining('a.txt'),
    },
  });
});

test('no network at all is refused before anything runs where the backend cannot take it away', async () => {
  const wish = ['--terminal.network', 'false'];
  await expect(run(numbers({}), wish)).rejects.toMatchObject({
    code: 'config.local-not-allowed',
    message: expect.stringContaining('terminal.network is false'),
  });
  expect(await run(numbers({}), [...wish, '--allow-local'])).toMatchObject({ outcome: 'done' });
});
