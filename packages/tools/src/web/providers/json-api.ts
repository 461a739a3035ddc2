import {
  type Clock,
  isJsonObject,
  type JsonValue,
  parseJson,
  redactSecrets,
  type Secret,
  systemClock,
  truncateText,
} from '@talaria/core';
import type { z } from 'zod';
import { type ExchangeAnswer, exchange, isRedirectStatus } from '../http/exchange.ts';
import { retryWhenLimited } from '../http/retry-after.ts';
import { portOf, resolveBySystem, type UrlPolicy } from '../url-policy/index.ts';
import { isPassingStatus, kindOfStatus, WebError } from '../web-error.ts';
import { checkApiKey, parseBaseUrl } from './service-address.ts';

/** A service on the web that answers in JSON. Its address is the user's, so that no policy applies to it. */
export interface JsonApi {
  /** For messages. */
  readonly name: string;
  /** Address that paths are added to. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Never shown, whatever the service answers. */
  readonly apiKey: Secret | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Creates one.
 *
 * @throws ConfigError `config.invalid` for an address that is none, or a key that cannot be sent
 */
export function createJsonApi(options: JsonApi): JsonApi {
  const { apiKey, baseUrl, name } = options;
  if (apiKey !== undefined) checkApiKey(apiKey);
  return { ...options, baseUrl: parseBaseUrl(name, baseUrl) };
}

/** One request to a {@link JsonApi}. */
export interface JsonApiRequest<Schema extends z.ZodType> {
  readonly path: string;
  /** Sent as JSON by POST; without it the request is a GET. */
  readonly body?: JsonValue | undefined;
  /** What is used of the answer. */
  readonly schema: Schema;
  readonly signal: AbortSignal | undefined;
}

/** Longest answer, in bytes: a page and what the service says about it. */
const maxAnswerBytes = 20 * 1_048_576;

/** Services read pages while one waits, so that the answer takes long to begin; whoever calls has a limit of his own. */
const timeoutMs = 60_000;

/**
 * Asks a service. One answer of 429 is tried again where it asks for 10 s or less. Redirects are not followed, since the key
 * would go along.
 *
 * @throws WebError that says what the service said, without the key; rejects with the signal's reason
 */
export async function requestJson<Schema extends z.ZodType>(
  api: JsonApi,
  request: JsonApiRequest<Schema>,
): Promise<z.output<Schema>> {
  const { clock = systemClock, name } = api;
  const { body, path, signal } = request;
  const isPost = body !== undefined;
  const send = (): Promise<ExchangeAnswer> =>
    exchange({
      url: new URL(api.baseUrl + path),
      method: isPost ? 'POST' : 'GET',
      headers: {
        accept: 'application/json',
        ...(isPost ? { 'content-type': 'application/json' } : {}),
        ...api.headers,
      },
      body: isPost ? JSON.stringify(body) : undefined,
      maxBytes: maxAnswerBytes,
      headersTimeoutMs: timeoutMs,
      bodyTimeoutMs: timeoutMs,
      resolve: (hostname, _port, stopSignal) => resolveBySystem(hostname, stopSignal),
      certificateAuthorities: undefined,
      clock,
      signal,
    });
  const answer = await retryWhenLimited(send, clock, signal);
  const text = Buffer.from(answer.bytes).toString('utf8');
  const parsed = parseJson(text);
  if (answer.status < 200 || answer.status >= 300) throw refusal(api, answer, parsed.ok ? parsed.value : text);
  const read = parsed.ok ? request.schema.safeParse(parsed.value) : undefined;
  if (read?.success !== true) {
    throw new WebError('network', `${name} gave an answer that cannot be read.`, {
      status: answer.status,
      hint: parsed.ok
        ? 'The service may have changed its answers: update the package.'
        : 'Check the address of the service.',
    });
  }
  return read.data;
}

/**
 * Makes sure that a page which a service will read for us may be visited from here: the service might stand in a network
 * of ours, and names of hosts that only we know are nobody else's business.
 *
 * @throws UrlRefusedError
 */
export async function checkPage(policy: UrlPolicy, text: string, signal: AbortSignal | undefined): Promise<void> {
  const url = policy.checkUrl(text);
  await policy.resolve(url.hostname, portOf(url), signal);
}

/** The failure of a page that a service told of. */
export function pageFailure(name: string, reason: string | null | undefined, status?: number | null): WebError {
  const kind = status === undefined || status === null || status < 300 ? 'network' : kindOfStatus(status);
  const why =
    reason === undefined || reason === null || reason === '' ? 'It gave no reason' : truncateText(reason, 300);
  return new WebError(kind, `${name} could not read the page: ${why.replace(/\.$/, '')}.`, {
    status: status ?? undefined,
  });
}

function refusal(api: JsonApi, answer: ExchangeAnswer, body: JsonValue): WebError {
  const { status } = answer;
  const said = redactSecrets(messageIn(body) ?? '', api.apiKey === undefined ? [] : [api.apiKey]);
  const detail = said === '' ? '' : `: ${truncateText(said, 200).replace(/\.$/, '')}`;
  const what = isRedirectStatus(status) ? 'leads to another address' : 'refused the request';
  return new WebError(kindOfStatus(status), `${api.name} ${what} (HTTP status ${status})${detail}.`, {
    status,
    retryable: isPassingStatus(status),
    hint: hintFor(api, status),
  });
}

function hintFor({ apiKey, name }: JsonApi, status: number): string | undefined {
  if (status === 401 || status === 403) return `Check ${apiKey?.name ?? `the key of ${name}`}.`;
  if (status === 402 || status === 429 || status === 432 || status === 433)
    return `Check the plan and limits at ${name}.`;
  return undefined;
}

/** Where services put the reason: a text, or an object of texts, under one of these names. */
function messageIn(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return messageIn(value[0]);
  if (!isJsonObject(value)) return undefined;
  for (const key of ['error', 'detail', 'message', 'msg']) {
    const found = messageIn(value[key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
