import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@talaria/core';
import { seededRandom, silentLogger } from '@talaria/core';
import { createManualClock } from '@talaria/core/testing';
import { scriptedModel } from '@talaria/model-client/testing';
import { environmentItems } from '../src/environment-items.ts';
import {
  checkEnvironment,
  defineEnvironment,
  type Environment,
  type EnvironmentConfig,
  environmentConfigSchema,
  type ItemContext,
  isEnvironment,
  passAtK,
  resolveRunConfig,
} from '../src/index.ts';
import { createConsoleSink, createJsonlSink } from '../src/sinks/index.ts';
import { temporaryFolder } from './harness.ts';

function itemContext(itemIndex: number): ItemContext<EnvironmentConfig> {
  return {
    itemIndex,
    config: environmentConfigSchema.parse({}),
    split: 'train',
    model: scriptedModel([]),
    logger: silentLogger,
    clock: createManualClock(),
    random: (name) => seededRandom(name),
    signal: new AbortController().signal,
  };
}

const rest = { formatPrompt: () => 'x', computeReward: async () => 1 };

describe('items', () => {
  test('of a list are given in turn, again from the start, and evaluated', async () => {
    const items = environmentItems(defineEnvironment({ name: 'a', items: [{ n: 1 }, { n: 2 }], ...rest }));
    const given = await Promise.all([0, 1, 2, 3].map((index) => items.next(itemContext(index))));
    expect(given.map((item) => item?.n)).toEqual([1, 2, 1, 2]);
    expect(await items.readEvaluation?.(itemContext(0))).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test('of a function are read once', async () => {
    let reads = 0;
    const items = environmentItems(
      defineEnvironment({
        name: 'a',
        items: async () => {
          reads += 1;
          return [{ n: reads }];
        },
        evalItems: [{ n: 9 }],
        ...rest,
      }),
    );
    await items.next(itemContext(0));
    expect(await items.next(itemContext(1))).toEqual({ n: 1 });
    expect(await items.readEvaluation?.(itemContext(0))).toEqual([{ n: 9 }]);
    expect(reads).toBe(1);
  });

  test('of a class may be a method, which keeps its object', async () => {
    const items = environmentItems(new Listed());
    expect(await items.next(itemContext(0))).toEqual({ n: 7 });
    expect(await items.readEvaluation?.(itemContext(0))).toEqual([{ n: 7 }, { n: 8 }]);
  });

  test('of an empty list are none', async () => {
    const items = environmentItems(defineEnvironment({ name: 'a', items: [], ...rest }));
    expect(await items.next(itemContext(0))).toBeNull();
  });

  test('of a list are played once where nothing else is said', () => {
    const steps = (environment: Environment, argv: readonly string[] = []) =>
      resolveRunConfig({ environment, driver: 'process', variables: {}, argv }).config.env.total_steps;
    const listed = { name: 'a', items: [{ n: 1 }, { n: 2 }], ...rest };
    expect(steps(listed)).toBe(2);
    expect(steps({ ...listed, configInit: () => ({ env: { total_steps: 5 } }) })).toBe(5);
    expect(steps(listed, ['--steps', '7'])).toBe(7);
    expect(steps({ ...listed, items: async () => [{ n: 1 }] })).toBe(1000);
    expect(steps({ ...listed, getNextItem: async () => null })).toBe(1000);
  });
});

class Listed implements Environment<{ readonly n: number }> {
  readonly name = 'listed';
  #numbers = [7, 8];
  items(): readonly { readonly n: number }[] {
    return this.#numbers.map((n) => ({ n }));
  }
  formatPrompt(): string {
    return 'x';
  }
  computeReward(): number {
    return this.#numbers.length;
  }
}

describe('defineEnvironment', () => {
  test.each([
    ['a name with other characters', { name: 'My Env', items: [], ...rest }, /its name "My Env"/],
    ['no items', { name: 'a', ...rest }, /no items and no method getNextItem/],
    ['items that are none', { name: 'a', items: 3, ...rest }, /its items is neither a list nor a function/],
    ['a method that is none', { name: 'a', items: [], ...rest, cleanup: 3 }, /its cleanup is no function/],
  ])('refuses %s', (_title, definition, message) => {
    // What JavaScript callers may pass.
    expect(() => defineEnvironment(definition as never)).toThrow(
      expect.objectContaining({ code: 'task.bad-environment', message: expect.stringMatching(message) }),
    );
  });
});

class Countdown implements Environment<{ readonly left: number }> {
  readonly name = 'countdown';
  #left = 2;

  async getNextItem(): Promise<{ readonly left: number } | null> {
    this.#left -= 1;
    return this.#left < 0 ? null : { left: this.#left };
  }

  formatPrompt({ left }: { readonly left: number }): string {
    return String(left);
  }

  async computeReward(): Promise<number> {
    return 1;
  }
}

describe('isEnvironment', () => {
  test('accepts instances of classes', () => {
    expect(isEnvironment(new Countdown())).toBe(true);
  });

  test.each([null, undefined, 1, 'x', [], {}, { name: 'a' }, { name: 'a', formatPrompt: 1 }])('refuses %j', (value) => {
    expect(isEnvironment(value)).toBe(false);
    expect(() => checkEnvironment(value)).toThrow(expect.objectContaining({ code: 'task.bad-environment' }));
  });
});

test.each([
  [1, 1, 1, 1],
  [1, 0, 1, 0],
  [4, 2, 1, 0.5],
  [4, 2, 2, 5 / 6],
  [4, 1, 4, 1],
  [10, 0, 5, 0],
  [5, 5, 3, 1],
])('of %i answers with %i right ones, one of %i is right with chance %f', (samples, correct, k, chance) => {
  expect(passAtK(samples, correct, k)).toBeCloseTo(chance);
});

describe('sinks', () => {
  const record = {
    step: 3,
    at: 1000,
    split: 'train' as const,
    metrics: { 'train/a': 0.123456, 'train/b': 'text', 'train/c': 2 },
  };

  test('the JSONL sink writes a line per record, in order', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'deep/metrics.jsonl');
    {
      await using sink = createJsonlSink(path);
      for (let step = 0; step < 100; step += 1) sink.log({ ...record, step });
    }
    const rows = (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map((line): JsonObject => JSON.parse(line));
    expect(rows.map((row) => row['step'])).toEqual(Array.from({ length: 100 }, (_, step) => step));
    expect(rows[0]).toEqual({ step: 0, ts: 1000, split: 'train', ...record.metrics });
  });

  test('the JSONL sink counts what it cannot write and never throws', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'metrics.jsonl'));
    const sink = createJsonlSink(join(folder.path, 'metrics.jsonl'));
    sink.log(record);
    await sink[Symbol.asyncDispose]();
    expect(sink.lostCount).toBe(1);
  });

  test('the console sink writes one line per record', () => {
    const texts: string[] = [];
    createConsoleSink((text) => texts.push(text), { isShown: (name) => name !== 'train/c' }).log(record);
    expect(texts).toEqual(['step 3  train/a 0.1235  train/b text\n']);
  });
});
