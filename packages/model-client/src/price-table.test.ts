import { describe, expect, test } from '@jest/globals';
import type { Usage } from '@talaria/core';
import fc from 'fast-check';
import { costOf, createPriceTable, defaultPrices } from './index.ts';

function usage(prompt: number, completion: number, cached?: number, reasoning?: number): Usage {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

describe('costOf', () => {
  test.each([
    ['gpt-4o', usage(1_000_000, 0), 2.5],
    ['gpt-4o', usage(0, 1_000_000), 10],
    ['openai/gpt-4o', usage(1_000_000, 1_000_000), 12.5],
    ['gpt-4o-2024-08-06', usage(1_000_000, 0), 2.5],
    ['gpt-4o-2024-05-13', usage(1_000_000, 0), 5],
    ['claude-sonnet-4-20250514', usage(100_000, 0), 0.3],
    ['GPT-4o', usage(1_000_000, 0), 2.5],
    ['gpt-4o', usage(1_000_000, 0, 1_000_000), 1.25],
    ['gpt-4o', usage(1_000_000, 0, 400_000), 2],
    ['gemini-2.5-pro', usage(200_000, 0), 0.25],
    ['gemini-2.5-pro', usage(200_001, 0), 0.5000025],
  ] as const)('of %s is what its vendor asks for', (model, tokens, expected) => {
    expect(costOf(tokens, model)).toBeCloseTo(expected, 10);
  });

  test.each([
    'nobody-knows-it',
    'someone/gpt-4o',
    'deepseek/deepseek-chat',
    'gpt-4o-mini-tuned',
    'openai/gpt-4o:free',
    '',
    'constructor',
    '__proto__',
  ])('of the unknown model "%s" is unknown, not zero', (model) => {
    expect(costOf(usage(10, 10), model)).toBeNull();
  });

  test('of an unknown usage is unknown', () => {
    expect(costOf(null, 'gpt-4o')).toBeNull();
  });

  test('takes the price of reasoning tokens where there is one', () => {
    const prices = createPriceTable({ thinker: { inputUsd: 1, outputUsd: 2, reasoningUsd: 6 } });
    expect(costOf(usage(0, 1_000_000, undefined, 500_000), 'thinker', prices)).toBe(4);
  });

  test('charges cached input in full where no discount is known', () => {
    const prices = createPriceTable({ plain: { inputUsd: 3, outputUsd: 0 } });
    expect(costOf(usage(1_000_000, 0, 900_000), 'plain', prices)).toBe(3);
  });

  test('is never negative, whatever a provider reports as cached', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), fc.nat(), (prompt, completion, cached, reasoning) => {
        expect(costOf(usage(prompt, completion, cached, reasoning), 'gpt-4o')).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('createPriceTable', () => {
  test('puts its prices before the published ones, and keeps the others', () => {
    const prices = createPriceTable({ 'gpt-4o': { inputUsd: 1, outputUsd: 1 }, local: { inputUsd: 0, outputUsd: 0 } });
    expect(prices.find('gpt-4o')).toEqual({ inputUsd: 1, outputUsd: 1 });
    expect(prices.find('gpt-4o-2024-08-06')).toEqual({ inputUsd: 1, outputUsd: 1 });
    expect(costOf(usage(5, 5), 'local', prices)).toBe(0);
    expect(prices.find('o3')).toEqual(defaultPrices.find('o3'));
  });

  test('without a base knows only its own', () => {
    expect(createPriceTable({}, { base: null }).find('gpt-4o')).toBeUndefined();
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses the price %d', (inputUsd) => {
    expect(() => createPriceTable({ odd: { inputUsd, outputUsd: 1 } })).toThrow(
      expect.objectContaining({
        code: 'config.invalid',
        message: `The price "inputUsd" of model "odd" is ${inputUsd}`,
      }),
    );
  });
});
