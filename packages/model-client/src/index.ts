export type {
  ChatCallOptions,
  ChatCompletion,
  ChatModel,
  ChatRequest,
  ChatStreamEvent,
  FinishReason,
  ReasoningOptions,
} from './chat-model.ts';
export type { LongContextPrice, ModelPrice, PriceList } from './model-price.ts';
export { type NormaliseOptions, normaliseAssistantMessage, normaliseToolCalls } from './normalise-message.ts';
export { costOf, createPriceTable, defaultPrices, type PriceTable, type PriceTableOptions } from './price-table.ts';
export { type Provider, providers } from './providers.ts';
export { createRateLimiter, type RateLimiter, type RateLimiterOptions, type RequestSlot } from './rate-limiter.ts';
export { type ExtractedReasoning, extractReasoning } from './reasoning.ts';
export {
  findProvider,
  type ResolvedProvider,
  type ResolveProviderOptions,
  resolveProvider,
} from './resolve-provider.ts';
