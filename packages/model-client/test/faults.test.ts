import { describe, expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import type { ServerStep } from '@talaria/testing-services';
import { createOpenAiModel } from '../src/openai/index.ts';
import { createHastyClock, openModelOnServer, question, readStream, waysToAsk } from './model-on-server.ts';

interface FaultCase {
  readonly what: string;
  readonly step: ServerStep;
  readonly code: string;
  /** In the message. */
  readonly says: string | RegExp;
  readonly hint: string | RegExp;
  readonly retryable: boolean;
  readonly attempts: number;
  readonly status?: number;
  /** Where streaming differs. */
  readonly streamed?: Partial<Omit<FaultCase, 'step' | 'streamed' | 'what'>>;
}

const status = (code: number, body?: Extract<ServerStep, { fault: 'status' }>['body']): ServerStep => ({
  fault: 'status',
  status: code,
  body,
});

const cases: readonly FaultCase[] = [
  {
    what: 'a wrong key',
    step: status(401, { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }),
    code: 'model.unauthorized',
    says: 'refused the key of TEST_KEY (status 401): Incorrect API key provided',
    hint: 'Check that TEST_KEY holds a valid key for this endpoint.',
    retryable: false,
    attempts: 1,
    status: 401,
  },
  {
    what: 'a forbidden model',
    step: status(403, { error: { message: 'No access' } }),
    code: 'model.forbidden',
    says: 'forbids the use of "test-model" (status 403): No access',
    hint: /TEST_KEY may use this model/,
    retryable: false,
    attempts: 1,
    status: 403,
  },
  {
    what: 'an unknown model',
    step: status(404, { detail: 'Not Found' }),
    code: 'model.not-found',
    says: 'does not know the model "test-model", or the path (status 404): Not Found',
    hint: /\/v1\/models/,
    retryable: false,
    attempts: 1,
    status: 404,
  },
  {
    what: 'a request that is refused',
    step: status(400, { error: { message: 'temperature must be at most 2' } }),
    code: 'model.bad-request',
    says: 'refused the request (status 400): temperature must be at most 2',
    hint: /the message says which one/,
    retryable: false,
    attempts: 1,
    status: 400,
  },
  {
    what: 'a conversation that is too long',
    step: status(400, { object: 'error', message: "This model's maximum context length is 4096 tokens", code: 400 }),
    code: 'model.context-overflow',
    says: 'the conversation is too long for "test-model"',
    hint: /Shorten the conversation/,
    retryable: false,
    attempts: 1,
    status: 400,
  },
  {
    what: 'a content filter',
    step: status(400, { error: { message: 'Blocked', code: 'content_filter' } }),
    code: 'model.content-filter',
    says: 'its content filter stopped the request (status 400): Blocked',
    hint: /without this filter/,
    retryable: false,
    attempts: 1,
    status: 400,
  },
  {
    what: 'an empty account, which 429 also stands for',
    step: status(429, { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }),
    code: 'model.quota-exceeded',
    says: 'the account has no credit left (status 429)',
    hint: 'Add credit to the account of TEST_KEY, or use another model.',
    retryable: false,
    attempts: 1,
    status: 429,
  },
  {
    what: 'a rate limit',
    step: { fault: 'rate-limited' },
    code: 'model.rate-limited',
    says: 'has had too many requests (status 429): Rate limit reached',
    hint: /Lower the number of concurrent requests/,
    retryable: true,
    attempts: 5,
    status: 429,
  },
  {
    what: 'a failing server',
    step: status(500, 'Internal Server Error'),
    code: 'model.server-error',
    says: 'failed (status 500): Internal Server Error',
    hint: /side of the server/,
    retryable: true,
    attempts: 5,
    status: 500,
  },
  {
    what: 'an overloaded server',
    step: status(503),
    code: 'model.overloaded',
    says: 'is overloaded or still starting (status 503)',
    hint: /Wait and run again/,
    retryable: true,
    attempts: 5,
    status: 503,
  },
  {
    what: 'a connection closed before the answer',
    step: { fault: 'hang-up' },
    code: 'model.connection',
    says: /The connection broke to http:.*UND_ERR_SOCKET/,
    hint: /log of the server/,
    retryable: true,
    attempts: 5,
  },
  {
    what: 'a connection closed in the middle',
    step: { fault: 'cut' },
    code: 'model.connection',
    says: /The connection broke to http:.*UND_ERR_SOCKET/,
    hint: /log of the server/,
    retryable: true,
    attempts: 5,
    streamed: { retryable: false, attempts: 1 },
  },
  {
    what: 'a connection closed before the first piece',
    step: { fault: 'cut', pieces: 0 },
    code: 'model.connection',
    says: /The connection broke to http:/,
    hint: /log of the server/,
    retryable: true,
    attempts: 5,
  },
  {
    what: 'half an event',
    step: { fault: 'half-event' },
    code: 'model.bad-response',
    says: /cannot be read: Unterminated string/,
    hint: /OpenAI chat-completions format/,
    retryable: true,
    attempts: 1,
    status: 200,
    streamed: {
      code: 'model.connection',
      says: 'was cut: the stream ended in the middle of an event',
      hint: /ended the answer early/,
      retryable: false,
      attempts: 1,
    },
  },
  {
    what: 'half an event, and nothing before it',
    step: { fault: 'half-event', pieces: 0 },
    code: 'model.bad-response',
    says: /cannot be read/,
    hint: /OpenAI chat-completions format/,
    retryable: true,
    attempts: 1,
    streamed: { code: 'model.connection', says: 'middle of an event', hint: /early/, retryable: true, attempts: 5 },
  },
  {
    what: 'a stream without a finish reason',
    step: { fault: 'no-finish' },
    code: 'model.bad-response',
    says: /cannot be read/,
    hint: /OpenAI chat-completions format/,
    retryable: true,
    attempts: 1,
    streamed: {
      code: 'model.connection',
      says: 'was cut: the stream ended without a finish reason',
      hint: /ended the answer early/,
      retryable: false,
      attempts: 1,
    },
  },
  {
    what: 'a web page',
    step: { fault: 'html' },
    code: 'model.bad-response',
    says: 'answered with a web page, not with a chat completion',
    hint: /is not that of an OpenAI-compatible API/,
    retryable: false,
    attempts: 1,
    status: 200,
  },
  {
    what: 'malformed JSON',
    step: { fault: 'malformed-json' },
    code: 'model.bad-response',
    says: /cannot be read: Unexpected token/,
    hint: /the excerpt shows what it sent/,
    retryable: true,
    attempts: 1,
    status: 200,
  },
  {
    what: 'empty choices',
    step: { fault: 'empty-choices' },
    code: 'model.empty-response',
    says: 'answered without any choice',
    hint: /try again, or another model/,
    retryable: true,
    attempts: 1,
    status: 200,
  },
  {
    what: 'a huge answer',
    step: { fault: 'huge', bytes: 2_000_000 },
    code: 'model.bad-response',
    says: 'is larger than 1000000 bytes',
    hint: 'Limit the answer with maxTokens, or raise maxAnswerBytes.',
    retryable: false,
    attempts: 1,
    status: 200,
  },
];

describe.each(cases)('$what', (fault) => {
  test.each(waysToAsk)('is told by %s', async (way, ask) => {
    const expected = { ...fault, ...(way === 'stream' ? fault.streamed : {}) };
    const clock = createHastyClock();
    await using opened = await openModelOnServer({ clock, maxAnswerBytes: 1_000_000 }, { script: () => fault.step });
    await expect(ask(opened.model)).rejects.toMatchObject({
      name: 'ModelError',
      code: expected.code,
      message:
        typeof expected.says === 'string'
          ? expect.stringContaining(expected.says)
          : expect.stringMatching(expected.says),
      hint: typeof expected.hint === 'string' ? expected.hint : expect.stringMatching(expected.hint),
      retryable: expected.retryable,
      attempts: expected.attempts,
    });
    expect(opened.server.requests).toHaveLength(expected.attempts);
    expect(clock.waitsMs).toHaveLength(expected.attempts - 1);
  });
});

test('a whole answer that is no completion is told', async () => {
  await using opened = await openModelOnServer(
    {},
    { script: () => ({ fault: 'status', status: 200, body: { object: 'list' } }) },
  );
  await expect(opened.model.complete(question)).rejects.toMatchObject({
    code: 'model.bad-response',
    message: expect.stringContaining('it has no list "choices"'),
    bodyExcerpt: '{"object":"list"}',
    attempts: 1,
  });
});

test('an error inside an answer with status 200 is told by its own code', async () => {
  await using opened = await openModelOnServer(
    { clock: createHastyClock() },
    { script: () => ({ body: { choices: [], error: { message: 'Upstream is busy', code: 503 } } }) },
  );
  await expect(opened.model.complete(question)).rejects.toMatchObject({
    code: 'model.overloaded',
    message: expect.stringContaining('Upstream is busy'),
    status: 503,
    attempts: 5,
  });
});

test('an error inside a stream that has begun is told, and not repeated', async () => {
  const chunk = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
  const body =
    chunk({ choices: [{ delta: { content: 'Hel' } }] }) + chunk({ error: { message: 'Upstream broke', code: 502 } });
  await using opened = await openModelOnServer(
    { clock: createHastyClock() },
    { script: () => ({ fault: 'status', status: 200, body, headers: { 'content-type': 'text/event-stream' } }) },
  );
  await expect(readStream(opened.model)).rejects.toMatchObject({
    code: 'model.server-error',
    message: expect.stringContaining('Upstream broke'),
    status: 502,
    attempts: 1,
    retryable: false,
  });
});

test('a stream that is answered whole is told', async () => {
  await using opened = await openModelOnServer(
    {},
    { script: () => ({ fault: 'status', status: 200, body: { choices: [] } }) },
  );
  await expect(readStream(opened.model)).rejects.toMatchObject({
    code: 'model.bad-response',
    message: expect.stringContaining('it is not a stream of events'),
  });
});

test('a connection that breaks after the finish reason harms nothing', async () => {
  await using opened = await openModelOnServer();
  // Seven pieces: the role, five of text, the finish reason; the usage is cut.
  opened.server.enqueue({ fault: 'cut', pieces: 9 });
  const events = await readStream(opened.model);
  expect(events.at(-1)).toMatchObject({
    type: 'end',
    completion: { finishReason: 'stop', message: { content: 'The answer begins well and is long enough to be cut.' } },
  });
});

test('a missing key is told with the variable to set', async () => {
  await using opened = await openModelOnServer({ apiKey: null }, { apiKey: 'sk-wanted' });
  await expect(opened.model.complete(question)).rejects.toMatchObject({
    code: 'model.unauthorized',
    message: expect.stringContaining('asks for a key, and none was given (status 401)'),
    hint: 'Set OPENAI_API_KEY to a key for this endpoint.',
    status: 401,
  });
  expect(opened.server.requests).toHaveLength(0);
});

test('the right key goes through, and a wrong one is nowhere in the error', async () => {
  await using opened = await openModelOnServer(
    { apiKey: new Secret('WRONG_KEY', 'sk-wrong-0123456789') },
    { apiKey: 'sk-right-0123456789' },
  );
  await using right = await createOpenAiModel({
    model: 'm',
    baseUrl: opened.server.baseUrl,
    apiKey: new Secret('RIGHT_KEY', 'sk-right-0123456789'),
  });
  expect((await right.complete(question)).message.content).toBe('Hello from the script.');
  // The server repeats the header in its message, as careless ones do.
  const error = await opened.model.complete(question).catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    message: expect.stringContaining('[redacted:WRONG_KEY]'),
    bodyExcerpt: expect.stringContaining('[redacted:WRONG_KEY]'),
    requestId: 'req-scripted',
  });
  expect(JSON.stringify(error) + String(error)).not.toContain('sk-wrong');
});

test('an endpoint that nobody listens at is told with how to start one', async () => {
  const { server, ...opened } = await openModelOnServer();
  await opened.model[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  const clock = createHastyClock();
  await using model = await createOpenAiModel({ model: 'm', baseUrl: server.baseUrl, apiKey: null, clock });
  await expect(model.complete(question)).rejects.toMatchObject({
    code: 'model.connection',
    message: expect.stringMatching(/^Cannot reach http:\/\/127\.0\.0\.1:\d+\/v1 \(ECONNREFUSED: /),
    hint: expect.stringMatching(/Check that a server answers at http:\/\/127\.0\.0\.1:\d+\/v1/),
    attempts: 5,
    retryable: true,
  });
});

test('a port that fetch forbids is told like one that nobody listens at', async () => {
  const baseUrl = 'http://127.0.0.1:9/v1';
  await using model = await createOpenAiModel({ model: 'm', baseUrl, apiKey: null, maxRetries: 0 });
  await expect(model.complete(question)).rejects.toMatchObject({
    code: 'model.connection',
    message: 'Cannot reach http://127.0.0.1:9/v1 (bad port)',
    hint: expect.stringContaining('that the base URL, with its port and path, is right'),
  });
});

test('a base URL without its version is told with the right one', async () => {
  await using opened = await openModelOnServer();
  const baseUrl = opened.server.origin;
  await using model = await createOpenAiModel({ model: 'm', baseUrl, apiKey: null, maxRetries: 0 });
  await expect(model.complete(question)).rejects.toMatchObject({
    code: 'model.not-found',
    hint: expect.stringContaining('most end with /v1'),
  });
});
