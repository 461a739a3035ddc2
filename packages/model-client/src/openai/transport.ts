import type { Clock, Secret } from '@talaria/core';
import { AnswerProblem } from './answer-problem.ts';
import { loadPackage } from './load-package.ts';
import { readStart } from './read-body.ts';
import { retryAfterMsOf } from './retry-after.ts';

/** Sends requests to one endpoint over connections of its own. Disposing closes them. */
export interface Transport extends AsyncDisposable {
  /**
   * Sends a chat request; resolves with the head of a good answer. Rejects with whatever the signal was aborted for.
   * @throws AnswerProblem `refused` for an error status, `connection`
   */
  post(body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Response>;
}

/** What {@link openTransport} needs. */
export interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey: Secret | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly sdk: typeof import('openai') | undefined;
  readonly undici: typeof import('undici') | undefined;
  readonly clock: Clock;
}

/** The client must have a time-out; this is the longest that a timer holds. Ours ends the request long before. */
const noTimeoutMs = 2_147_483_647;

/** Bytes read of an error's body. */
const maxErrorBytes = 65_536;

/** @throws ConfigError `config.missing-package` */
export async function openTransport(options: TransportOptions): Promise<Transport> {
  const { apiKey, baseUrl, clock, headers } = options;
  const sdk = options.sdk ?? (await loadPackage('openai', () => import('openai'), '^7'));
  const undici = options.undici ?? (await loadPackage('undici', () => import('undici'), '^8'));
  // Node's own fetch gives up after 300 s of silence, and the client would then ask, and pay, again (feasibility 12).
  // Fetch and agent must come from the same undici: those of different versions do not fit each other.
  // One request per connection (no HTTP/2), so that a connection that breaks takes one request with it, not a hundred.
  const agent = new undici.Agent({ headersTimeout: 0, bodyTimeout: 0, allowH2: false });

  async function send(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const answer = await undici.fetch(url instanceof Request ? url.url : url, {
      method: init.method ?? 'POST',
      headers: [...new Headers(init.headers)],
      body: typeof init.body === 'string' ? init.body : null,
      signal: init.signal ?? null,
      dispatcher: agent,
    });
    const response = new Response(answer.body, { status: answer.status, headers: [...answer.headers] });
    if (answer.ok) return response;
    // Raised here: the client would read the body without a limit and keep only its field `error`.
    throw new AnswerProblem({
      kind: 'refused',
      status: answer.status,
      bodyText: await readStart(response, maxErrorBytes),
      retryAfterMs: retryAfterMsOf(answer.headers, clock.now()),
      requestId: answer.headers.get('x-request-id') ?? undefined,
    });
  }

  const client = new sdk.OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey?.reveal() ?? 'none',
    defaultHeaders: { ...(apiKey === null ? { Authorization: null } : {}), ...headers },
    // Given, so that the client does not look for them in variables.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: noTimeoutMs,
    logLevel: 'off',
    fetch: send,
  });

  return {
    async post(body, signal) {
      try {
        return await client.post('/chat/completions', { body, signal }).asResponse();
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof sdk.APIConnectionError)) throw error;
        if (error.cause instanceof AnswerProblem) throw error.cause;
        throw new AnswerProblem({ kind: 'connection', cause: error.cause ?? error });
      }
    },
    async [Symbol.asyncDispose]() {
      await agent.destroy();
    },
  };
}
