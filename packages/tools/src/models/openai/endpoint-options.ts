import { type Clock, ConfigError, type Secret } from '@talaria/core';

/** Where an OpenAI-compatible endpoint is, and how it is asked. */
export interface OpenAiEndpointOptions {
  /** With its version, for example `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  /** `null` for endpoints that need none. Never part of an error. */
  readonly apiKey: Secret | null;
  /** The model's name for the endpoint. */
  readonly model: string;
  /** Shown in results. @default `model` */
  readonly name?: string | undefined;
  /** How often a request is sent again after 408, 409, 429, 5xx or a broken connection. @default 2 */
  readonly maxRetries?: number | undefined;
  /** Largest answer accepted, in bytes. @default 134_217_728 */
  readonly maxAnswerBytes?: number | undefined;
  /** Sends the requests. @default Node's, which gives up on an answer that takes longer than 300 s to begin */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The package `openai`, where it is not to be imported. */
  readonly sdk?: typeof import('openai') | undefined;
  /** @default the real clock */
  readonly clock?: Clock | undefined;
  /** For jitter, uniform in [0, 1). @default Math.random */
  readonly random?: (() => number) | undefined;
}

/** @throws ConfigError `config.invalid` for an address or a key that cannot work; the key is never shown */
export function checkEndpointOptions({
  apiKey,
  baseUrl,
  maxAnswerBytes,
  maxRetries,
  model,
}: OpenAiEndpointOptions): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalid(
      'baseUrl is no http or https address',
      'Give one with its version, such as http://127.0.0.1:8000/v1.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('baseUrl holds credentials', 'Give the key as apiKey, since addresses are shown in errors.');
  }
  if (apiKey !== null && !/^[\x21-\x7e]+$/.test(apiKey.reveal())) {
    throw invalid(`The key ${apiKey.name} cannot be sent in a header`, 'Look for white space or a line break in it.');
  }
  if (model === '') throw invalid('model is empty', 'Give the name that the endpoint has for the model.');
  if (maxRetries !== undefined && !(Number.isSafeInteger(maxRetries) && maxRetries >= 0)) {
    throw invalid(`maxRetries is ${maxRetries}`, 'Give a whole number of 0 or more.');
  }
  if (maxAnswerBytes !== undefined && !(maxAnswerBytes > 0)) {
    throw invalid(`maxAnswerBytes is ${maxAnswerBytes}`, 'Give a number greater than 0.');
  }
}

/** Whether an address is OpenAI's own, whose newer models refuse fields that all others take. */
export function isOfficialHost(baseUrl: string): boolean {
  return /(?:^|\.)api\.openai\.com$/.test(new URL(baseUrl).hostname);
}

function invalid(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.invalid', hint });
}
