import { ConfigError, type Usage } from '@talaria/core';
import { defaultPriceList } from './default-prices.ts';
import type { ModelPrice, PriceList } from './model-price.ts';

/** Prices of models. */
export interface PriceTable {
  /**
   * The price of a model, or undefined where it is unknown. Looked up as it is written, then with its date
   * (`-2025-04-14`, `-20250514`) left out; a bare name finds an entry `vendor/name`, never one of another vendor.
   */
  find(model: string): ModelPrice | undefined;
}

/** Options of {@link createPriceTable}. */
export interface PriceTableOptions {
  /** Prices used where `prices` says nothing; `null` for none. @default {@link defaultPrices} */
  readonly base?: PriceTable | null | undefined;
}

/** Prices that providers published; see the dates in `default-prices.ts`. They go out of date: override what you use. */
export const defaultPrices: PriceTable = tableOf(defaultPriceList, null);

/**
 * Creates a table in which `prices` go before those of the base.
 * @throws ConfigError `config.invalid` for a price that is no number of at least 0
 */
export function createPriceTable(prices: PriceList, options: PriceTableOptions = {}): PriceTable {
  for (const [model, price] of Object.entries(prices)) checkPrice(model, price);
  return tableOf(prices, options.base === undefined ? defaultPrices : options.base);
}

/**
 * What a model call cost, in US dollars; `null` where the usage or the price is unknown: never zero for lack of knowledge.
 * Cached and reasoning tokens count as the parts of input and output that they are.
 */
export function costOf(usage: Usage | null, model: string, prices: PriceTable = defaultPrices): number | null {
  const listed = usage === null ? undefined : prices.find(model);
  if (usage === null || listed === undefined) return null;
  const isLong = listed.longContext !== undefined && usage.prompt_tokens > listed.longContext.aboveInputTokens;
  const price: ModelPrice = isLong && listed.longContext !== undefined ? listed.longContext : listed;
  const cached = Math.min(usage.prompt_tokens_details?.cached_tokens ?? 0, usage.prompt_tokens);
  const reasoning = Math.min(usage.completion_tokens_details?.reasoning_tokens ?? 0, usage.completion_tokens);
  const microUsd =
    (usage.prompt_tokens - cached) * price.inputUsd +
    cached * (price.cachedInputUsd ?? price.inputUsd) +
    (usage.completion_tokens - reasoning) * price.outputUsd +
    reasoning * (price.reasoningUsd ?? price.outputUsd);
  return microUsd / 1_000_000;
}

function tableOf(prices: PriceList, base: PriceTable | null): PriceTable {
  const byName = new Map<string, ModelPrice>();
  for (const [name, price] of Object.entries(prices))
    byName.set(name.slice(name.indexOf('/') + 1).toLowerCase(), price);
  for (const [name, price] of Object.entries(prices)) byName.set(name.toLowerCase(), price);
  return {
    find(model) {
      const name = model.toLowerCase();
      return byName.get(name) ?? byName.get(name.replace(dateSuffix, '')) ?? base?.find(model);
    },
  };
}

/** `-2025-04-14` or `-20250514` at the end of a name. */
const dateSuffix = /-(?:\d{4}-\d{2}-\d{2}|20\d{6})$/;

function checkPrice(model: string, price: ModelPrice): void {
  const { longContext, ...prices } = price;
  for (const [field, value] of Object.entries({ ...prices, ...longContext })) {
    if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 0)) continue;
    throw new ConfigError(`The price "${field}" of model "${model}" is ${String(value)}`, {
      code: 'config.invalid',
      hint: 'Give prices as US dollars per million tokens, 0 or more.',
    });
  }
}
