import type { PriceList } from './model-price.ts';

/*
 * US dollars per million tokens, standard tier, as the providers' own pages showed them in November 2025:
 *   https://openai.com/api/pricing                            openai/…
 *   https://docs.claude.com/en/docs/about-claude/pricing      anthropic/…
 *   https://ai.google.dev/gemini-api/docs/pricing             google/…
 *   https://api-docs.deepseek.com/quick_start/pricing         deepseek-…
 * A model is listed only where its price was certain. Where a discount for cached input was not, none is listed, and
 * cached input counts in full: the cost told is then too high, never too low. Writing into a cache, which some providers
 * charge extra, is not reported in OpenAI's shape of usage and not counted.
 */

/** Prices by `vendor/model`. */
export const defaultPriceList: PriceList = {
  'openai/gpt-3.5-turbo': { inputUsd: 0.5, outputUsd: 1.5 },
  'openai/gpt-4-turbo': { inputUsd: 10, outputUsd: 30 },
  'openai/gpt-4o': { inputUsd: 2.5, cachedInputUsd: 1.25, outputUsd: 10 },
  // The first release cost twice as much and keeps its price.
  'openai/gpt-4o-2024-05-13': { inputUsd: 5, outputUsd: 15 },
  'openai/gpt-4o-mini': { inputUsd: 0.15, cachedInputUsd: 0.075, outputUsd: 0.6 },
  'openai/gpt-4.1': { inputUsd: 2, cachedInputUsd: 0.5, outputUsd: 8 },
  'openai/gpt-4.1-mini': { inputUsd: 0.4, cachedInputUsd: 0.1, outputUsd: 1.6 },
  'openai/gpt-4.1-nano': { inputUsd: 0.1, cachedInputUsd: 0.025, outputUsd: 0.4 },
  'openai/gpt-5': { inputUsd: 1.25, cachedInputUsd: 0.125, outputUsd: 10 },
  'openai/gpt-5-mini': { inputUsd: 0.25, cachedInputUsd: 0.025, outputUsd: 2 },
  'openai/gpt-5-nano': { inputUsd: 0.05, cachedInputUsd: 0.005, outputUsd: 0.4 },
  'openai/gpt-5.1': { inputUsd: 1.25, cachedInputUsd: 0.125, outputUsd: 10 },
  'openai/o1': { inputUsd: 15, cachedInputUsd: 7.5, outputUsd: 60 },
  'openai/o3': { inputUsd: 2, cachedInputUsd: 0.5, outputUsd: 8 },
  'openai/o3-mini': { inputUsd: 1.1, cachedInputUsd: 0.55, outputUsd: 4.4 },
  'openai/o4-mini': { inputUsd: 1.1, cachedInputUsd: 0.275, outputUsd: 4.4 },

  'anthropic/claude-3-haiku': { inputUsd: 0.25, cachedInputUsd: 0.03, outputUsd: 1.25 },
  'anthropic/claude-3-5-haiku': { inputUsd: 0.8, cachedInputUsd: 0.08, outputUsd: 4 },
  'anthropic/claude-3.5-haiku': { inputUsd: 0.8, cachedInputUsd: 0.08, outputUsd: 4 },
  'anthropic/claude-3-7-sonnet': { inputUsd: 3, cachedInputUsd: 0.3, outputUsd: 15 },
  'anthropic/claude-3.7-sonnet': { inputUsd: 3, cachedInputUsd: 0.3, outputUsd: 15 },
  'anthropic/claude-haiku-4-5': { inputUsd: 1, cachedInputUsd: 0.1, outputUsd: 5 },
  'anthropic/claude-haiku-4.5': { inputUsd: 1, cachedInputUsd: 0.1, outputUsd: 5 },
  'anthropic/claude-opus-4': { inputUsd: 15, cachedInputUsd: 1.5, outputUsd: 75 },
  'anthropic/claude-opus-4-1': { inputUsd: 15, cachedInputUsd: 1.5, outputUsd: 75 },
  'anthropic/claude-opus-4.1': { inputUsd: 15, cachedInputUsd: 1.5, outputUsd: 75 },
  'anthropic/claude-opus-4-5': { inputUsd: 5, cachedInputUsd: 0.5, outputUsd: 25 },
  'anthropic/claude-opus-4.5': { inputUsd: 5, cachedInputUsd: 0.5, outputUsd: 25 },
  'anthropic/claude-sonnet-4': longContextSonnet(),
  'anthropic/claude-sonnet-4-5': longContextSonnet(),
  'anthropic/claude-sonnet-4.5': longContextSonnet(),

  'google/gemini-2.0-flash': { inputUsd: 0.1, cachedInputUsd: 0.025, outputUsd: 0.4 },
  'google/gemini-2.5-flash': { inputUsd: 0.3, outputUsd: 2.5 },
  'google/gemini-2.5-flash-lite': { inputUsd: 0.1, outputUsd: 0.4 },
  'google/gemini-2.5-pro': {
    inputUsd: 1.25,
    outputUsd: 10,
    longContext: { aboveInputTokens: 200_000, inputUsd: 2.5, outputUsd: 15 },
  },

  // Without the vendor: others that serve models of this name ask for other prices.
  'deepseek-chat': { inputUsd: 0.28, cachedInputUsd: 0.028, outputUsd: 0.42 },
  'deepseek-reasoner': { inputUsd: 0.28, cachedInputUsd: 0.028, outputUsd: 0.42 },
};

function longContextSonnet(): PriceList[string] {
  return {
    inputUsd: 3,
    cachedInputUsd: 0.3,
    outputUsd: 15,
    longContext: { aboveInputTokens: 200_000, inputUsd: 6, cachedInputUsd: 0.6, outputUsd: 22.5 },
  };
}
