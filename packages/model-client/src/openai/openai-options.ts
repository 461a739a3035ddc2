import type { Clock, CreateId, JsonObject, Logger, RandomSource, Secret } from '@talaria/core';
import { z } from 'zod';
import { opaque, parseOptions } from '../parse-options.ts';
import type { PriceTable } from '../price-table.ts';
import type { RateLimiter } from '../rate-limiter.ts';

/**
 * How an endpoint is told how much to think (spec/environments.md 3.5).
 *
 * - `effort`: the field `reasoning_effort`, temperature 1, as OpenAI's own API wants it.
 * - `object`: `reasoning: { enabled, effort | max_tokens }`, as OpenRouter and most others want it.
 * - `budget`: `reasoning: { enabled, max_tokens }` only; an effort is turned into tokens.
 * - `omit`: nothing is sent.
 */
export type ReasoningStyle = 'effort' | 'object' | 'budget' | 'omit';

/** Options of {@link createOpenAiModel}. */
export interface OpenAiModelOptions {
  /** The model's name for the endpoint. */
  readonly model: string;
  /** Shown in outputs and stored in records. @default `model` */
  readonly name?: string | undefined;
  /** With its version, for example `http://127.0.0.1:8000/v1`. @default `https://api.openai.com/v1` */
  readonly baseUrl?: string | undefined;
  /** `null` for endpoints that need none. Its name is shown in errors: name it as the variable that it came from. */
  readonly apiKey: Secret | null;
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Merged into the body of every request; the request's own goes before it. */
  readonly extraBody?: JsonObject | undefined;
  /**
   * Longest time of one sending, from the request to the end of the answer, in milliseconds; waiting for leave to send
   * does not count. A request that took longer is never sent again. All waits between sendings together last at most
   * as long, too. @default 1_200_000
   */
  readonly timeoutMs?: number | undefined;
  /** How often a request is sent again after 408, 409, 429, 5xx or a broken connection. @default 4 */
  readonly maxRetries?: number | undefined;
  /** Largest answer accepted, in bytes. @default 67_108_864 */
  readonly maxAnswerBytes?: number | undefined;
  /** Most requests at the same time, where no `limiter` is given. @default 512 */
  readonly maxConcurrentRequests?: number | undefined;
  /** Shared with other models of the same endpoint. @default one of its own */
  readonly limiter?: RateLimiter | undefined;
  /** @default {@link defaultPrices} */
  readonly prices?: PriceTable | undefined;
  /** @default `effort` for OpenAI's own hosts, `object` elsewhere */
  readonly reasoningStyle?: ReasoningStyle | undefined;
  /** Whether stored reasoning is sent back with the messages. @default false for OpenAI's own hosts, true elsewhere */
  readonly sendsReasoning?: boolean | undefined;
  /**
   * Whether `temperature` and `top_p` are sent. @default false for OpenAI's reasoning models on its own hosts, which refuse
   * them; true elsewhere
   */
  readonly sendsSampling?: boolean | undefined;
  /** The package `openai`, where it is not to be imported. */
  readonly sdk?: typeof import('openai') | undefined;
  /** The package `undici`, where it is not to be imported. */
  readonly undici?: typeof import('undici') | undefined;
  /** @default the real clock */
  readonly clock?: Clock | undefined;
  /** For jitter. @default Math.random */
  readonly random?: RandomSource | undefined;
  /** Makes ids for tool calls that the endpoint sent without. @default random */
  readonly createId?: CreateId | undefined;
  /** Hears `model.retry`, `model.throttled`. @default silent */
  readonly logger?: Logger | undefined;
}

/** Options that have a default in the schema. */
type DefaultedOption = 'baseUrl' | 'headers' | 'maxAnswerBytes' | 'maxConcurrentRequests' | 'maxRetries' | 'timeoutMs';

/** Options after validation, defaults filled in. */
export type ParsedOpenAiOptions = OpenAiModelOptions & {
  readonly [Option in DefaultedOption]: NonNullable<OpenAiModelOptions[Option]>;
};

const headerValue = z.string().refine((value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value), {
  error: 'a header holds one line of Latin letters',
  params: { isSecret: true },
});

const openAiModelOptions = z.strictObject({
  model: z.string().min(1),
  name: z.string().min(1).optional(),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .refine((url) => new URL(url).password === '', {
      error: 'a key belongs into apiKey, since URLs are shown in errors',
      params: { isSecret: true },
    })
    .default('https://api.openai.com/v1'),
  apiKey: opaque<Secret | null>()
    .refine((key) => key === null || typeof key?.reveal === 'function', {
      error: 'a Secret or null is wanted',
      params: { isSecret: true },
      abort: true,
    })
    // Checked here, since the error of a header that cannot be sent would show the key.
    .refine((key) => key === null || /^[\x21-\x7e]+$/.test(key.reveal()), {
      error: 'a key is not empty and holds no white space; look for a line break at its end',
      params: { isSecret: true },
    }),
  headers: z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/), headerValue).default({}),
  extraBody: opaque<JsonObject | undefined>().optional(),
  timeoutMs: z.number().positive().default(1_200_000),
  maxRetries: z.int().nonnegative().default(4),
  maxAnswerBytes: z.int().positive().default(67_108_864),
  maxConcurrentRequests: z.int().positive().default(512),
  limiter: opaque<RateLimiter | undefined>().optional(),
  prices: opaque<PriceTable | undefined>().optional(),
  sendsSampling: z.boolean().optional(),
  reasoningStyle: z.enum(['effort', 'object', 'budget', 'omit']).optional(),
  sendsReasoning: z.boolean().optional(),
  sdk: opaque<typeof import('openai') | undefined>().optional(),
  undici: opaque<typeof import('undici') | undefined>().optional(),
  clock: opaque<Clock | undefined>().optional(),
  random: opaque<RandomSource | undefined>().optional(),
  createId: opaque<CreateId | undefined>().optional(),
  logger: opaque<Logger | undefined>().optional(),
});

/** @throws ConfigError `config.invalid` */
export function parseOpenAiOptions(options: OpenAiModelOptions): ParsedOpenAiOptions {
  return parseOptions('OpenAiModelOptions', openAiModelOptions, options);
}

/** Whether a base URL is OpenAI's own API, whose newer models refuse fields that all others take. */
export function isOfficialHost(baseUrl: string): boolean {
  return /(?:^|\.)api\.openai\.com$/.test(new URL(baseUrl).hostname);
}

/** Whether a model of OpenAI's always reasons: the `o` series and `gpt-5`, their chat variants excepted. */
export function isReasoningModel(model: string): boolean {
  return /^(?:o\d|gpt-5)/.test(model) && !model.includes('-chat');
}
