import {
  ConfigError,
  errorMessage,
  isJsonObject,
  type JsonObject,
  parseJson,
  retry,
  systemClock,
  systemErrorCode,
} from '@talaria/core';
import { readBody, readStart } from './bounded-body.ts';
import { EndpointFailure, explainProblem, isPassingStatus } from './endpoint-failure.ts';
import { checkEndpointOptions, type OpenAiEndpointOptions } from './endpoint-options.ts';

/** Sends requests to one endpoint. */
export interface OpenAiEndpoint {
  /**
   * Sends a request and gives the object that came back. Rejects with the signal's reason.
   * @throws ModelError `model.*`; ConfigError `config.missing-package`
   */
  post(path: string, body: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

/** The client must have a time-out; this is the longest that a timer holds. The caller's signal ends the request. */
const noTimeoutMs = 2_147_483_647;
/** Bytes read of an error's body. */
const maxErrorBytes = 65_536;

/** Opens nothing yet: the package `openai` is imported with the first request. @throws ConfigError `config.invalid` */
export function createOpenAiEndpoint(options: OpenAiEndpointOptions): OpenAiEndpoint {
  checkEndpointOptions(options);
  const { apiKey, baseUrl, clock = systemClock, maxAnswerBytes = 134_217_728, maxRetries = 2, random } = options;
  let client: Promise<Client> | undefined;
  return {
    async post(path, body, signal) {
      signal.throwIfAborted();
      client ??= openClient(options);
      const { send } = await client;
      try {
        return await retry(async () => readAnswer(await send(path, body, signal), maxAnswerBytes), {
          attempts: maxRetries + 1,
          isRetryable,
          delayOf: (error) => retryAfterOf(error),
          clock,
          random,
          signal,
        });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof EndpointFailure) throw explainProblem(error.problem, baseUrl, apiKey);
        throw error;
      }
    },
  };
}

interface Client {
  readonly send: (path: string, body: JsonObject, signal: AbortSignal) => Promise<Response>;
}

async function openClient(options: OpenAiEndpointOptions): Promise<Client> {
  const { apiKey, baseUrl, fetch = globalThis.fetch } = options;
  const sdk = options.sdk ?? (await importSdk());
  const client = new sdk.OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey?.reveal() ?? 'none',
    ...(apiKey === null ? { defaultHeaders: { Authorization: null } } : {}),
    // Given, so that the client does not look for them in variables.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: noTimeoutMs,
    logLevel: 'off',
    async fetch(url, init) {
      const response = await fetch(url, init);
      if (response.ok) return response;
      // Raised here: the client would read the body without a limit and show it in its message.
      const retryAfterMs = retryAfterMsOf(response.headers);
      const { text } = await readStart(response, maxErrorBytes);
      throw new EndpointFailure({ kind: 'refused', status: response.status, bodyText: text, retryAfterMs });
    },
  });
  return {
    async send(path, body, signal) {
      try {
        return await client.post(path, { body, signal }).asResponse();
      } catch (error) {
        signal.throwIfAborted();
        const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
        if (cause instanceof EndpointFailure) throw cause;
        if (!(error instanceof sdk.APIConnectionError)) throw error;
        throw new EndpointFailure({ kind: 'connection', cause: cause ?? error });
      }
    },
  };
}

async function importSdk(): Promise<typeof import('openai')> {
  try {
    return await import('openai');
  } catch (error) {
    const isNotFound = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(systemErrorCode(error) ?? '');
    if (!isNotFound || !errorMessage(error).includes("'openai'")) throw error;
    throw new ConfigError('The package "openai" is not installed', {
      code: 'config.missing-package',
      hint: 'Install it: npm install openai@^7',
      cause: error,
    });
  }
}

async function readAnswer(response: Response, maxBytes: number): Promise<JsonObject> {
  const text = await readBody(response, maxBytes);
  const parsed = parseJson(text);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  const detail = /^\s*</.test(text) ? 'it is a web page' : 'it is no JSON object';
  throw new EndpointFailure({ kind: 'unreadable', detail });
}

function isRetryable(error: unknown): boolean {
  if (!(error instanceof EndpointFailure)) return false;
  const { problem } = error;
  return problem.kind === 'connection' || (problem.kind === 'refused' && isPassingStatus(problem.status));
}

function retryAfterOf(error: unknown): number | undefined {
  const isRefused = error instanceof EndpointFailure && error.problem.kind === 'refused';
  return isRefused && error.problem.kind === 'refused' ? error.problem.retryAfterMs : undefined;
}

/** Waits that an answer asks for; more than a minute is not waited for a tool. */
function retryAfterMsOf(headers: Headers): number | undefined {
  const milliseconds = Number(headers.get('retry-after-ms') ?? Number.NaN);
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const wanted = Number.isFinite(milliseconds) ? milliseconds : seconds * 1_000;
  return Number.isFinite(wanted) && wanted >= 0 ? Math.min(wanted, 60_000) : undefined;
}
