import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { type JsonObject, Secret, systemClock } from '@talaria/core';
import { createManualClock } from '@talaria/core/testing';
import { createScriptedServer, type ScriptedServer, type ServerStep } from '@talaria/testing-services';
import { createBuiltinRegistry } from '@talaria/tools';
import { createModelTools, createOpenAiImageModel, createOpenAiToolModel, type ToolModel } from '@talaria/tools/models';
import { createTestDispatcher, type TestDispatcher } from '@talaria/tools/testing';
import { type LocalTools, openLocalTools } from '../open-local-sandbox.ts';
import { pictures } from './pictures.ts';

const keyText = 'sk-very-secret-0123456789';
const apiKey = new Secret('MODEL_KEY', keyText);
const messages = [{ role: 'user', content: 'Hello?' }] as const;
/** Waits between two sendings pass at once. */
const hastyClock = { ...systemClock, sleep: async () => undefined };

function modelOf(
  server: ScriptedServer,
  options: Partial<Parameters<typeof createOpenAiToolModel>[0]> = {},
): ToolModel {
  return createOpenAiToolModel({ baseUrl: server.baseUrl, apiKey, model: 'm', clock: hastyClock, ...options });
}

function signal(): AbortSignal {
  return new AbortController().signal;
}

describe('createOpenAiToolModel', () => {
  test('asks, with its key, and gives text and usage', async () => {
    await using server = await createScriptedServer({ apiKey: keyText });
    server.enqueue({
      content: 'Hi.',
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, other: {} },
    });
    const model = modelOf(server, { extraBody: { top_k: 1 } });
    expect(await model.ask({ messages, maxTokens: 9, temperature: 0.5 }, { signal: signal() })).toEqual({
      text: 'Hi.',
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    });
    expect(server.requests[0]?.body).toEqual({ model: 'm', messages, max_tokens: 9, temperature: 0.5, top_k: 1 });
    expect(model.name).toBe('m');
  });

  test('sends no key where there is none, and no temperature where it is refused', async () => {
    await using server = await createScriptedServer();
    server.enqueue({ content: null, usage: null });
    const model = modelOf(server, { apiKey: null, sendsTemperature: false, name: 'eye' });
    expect(await model.ask({ messages, temperature: 1 }, { signal: signal() })).toEqual({ text: '', usage: null });
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(server.requests[0]?.body).toEqual({ model: 'm', messages });
    expect(model.name).toBe('eye');
  });

  test.each<[string, ServerStep]>([
    ['429', { fault: 'rate-limited', retryAfter: '2' }],
    ['503', { fault: 'status', status: 503, body: 'down' }],
    ['a connection that breaks at once', { fault: 'hang-up' }],
    ['an answer that breaks', { fault: 'cut' }],
  ])('sends a request again after %s', async (_what, step) => {
    await using server = await createScriptedServer();
    server.enqueue(step, { content: 'Hi.' });
    expect(await modelOf(server).ask({ messages }, { signal: signal() })).toMatchObject({ text: 'Hi.' });
    expect(server.requests).toHaveLength(2);
  });

  test('waits as long as the answer says', async () => {
    await using server = await createScriptedServer();
    server.enqueue({ fault: 'rate-limited', retryAfter: '7' }, { content: 'Hi.' });
    const clock = createManualClock();
    const waits: number[] = [];
    const watching = {
      ...clock,
      sleep: async (durationMs: number) => {
        waits.push(durationMs);
      },
    };
    await modelOf(server, { clock: watching }).ask({ messages }, { signal: signal() });
    expect(waits).toEqual([7_000]);
  });

  test.each<[string, ServerStep, string, number]>([
    ['401', { fault: 'status', status: 401, body: { error: { message: `Bad key ${keyText}` } } }, 'unauthorized', 1],
    ['403', { fault: 'status', status: 403, body: `no ${keyText}` }, 'forbidden', 1],
    ['404', { fault: 'status', status: 404, body: '<html>' }, 'not-found', 1],
    ['400', { fault: 'status', status: 400, body: { error: keyText } }, 'bad-request', 1],
    ['429', { fault: 'rate-limited' }, 'rate-limited', 3],
    ['500', { fault: 'status', status: 500, body: { message: keyText } }, 'server-error', 3],
    ['no answer', { fault: 'hang-up' }, 'connection', 3],
    ['a web page', { fault: 'html' }, 'bad-response', 1],
    ['text', { fault: 'malformed-json' }, 'bad-response', 1],
    ['no choice', { fault: 'empty-choices' }, 'empty-response', 1],
    ['too much', { fault: 'huge', bytes: 300_000 }, 'bad-response', 1],
  ])('rejects on %s without its key', async (_what, step, code, requestCount) => {
    await using server = await createScriptedServer({ script: () => step });
    const model = modelOf(server, { maxAnswerBytes: 100_000 });
    const error: unknown = await model.ask({ messages }, { signal: signal() }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: `model.${code}` });
    const told = JSON.stringify(error, Object.getOwnPropertyNames(error)) + String(error);
    expect(told).not.toContain(keyText);
    expect(server.requests).toHaveLength(requestCount);
  });

  test('rejects with the reason of an abort, closes the connection and sends nothing again', async () => {
    await using server = await createScriptedServer({ script: () => ({ fault: 'silence' }) });
    const stop = new AbortController();
    const reason = new Error('stop');
    const asking = modelOf(server).ask({ messages }, { signal: stop.signal });
    const refused = expect(asking).rejects.toBe(reason);
    await server.whenRequests(1);
    stop.abort(reason);
    await refused;
    expect(await server.requests[0]?.ended).toBe('closed');
    await expect(modelOf(server).ask({ messages }, { signal: stop.signal })).rejects.toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  test('tells of a port where nobody answers', async () => {
    const server = await createScriptedServer();
    const model = modelOf(server);
    await server[Symbol.asyncDispose]();
    await expect(model.ask({ messages }, { signal: signal() })).rejects.toMatchObject({
      code: 'model.connection',
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test.each([
    { baseUrl: 'localhost' },
    { baseUrl: 'ftp://host' },
    { baseUrl: `http://user:${keyText}@host/v1` },
    { apiKey: new Secret('MODEL_KEY', `${keyText}\n`) },
    { apiKey: new Secret('MODEL_KEY', '') },
    { model: '' },
    { maxRetries: -1 },
    { maxRetries: Number.NaN },
    { maxAnswerBytes: 0 },
  ])('refuses options %#', (options) => {
    let error: unknown;
    try {
      createOpenAiToolModel({ baseUrl: 'http://127.0.0.1/v1', apiKey, model: 'm', ...options });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: 'config.invalid' });
    expect(String(error)).not.toContain(keyText);
  });
});

interface ImageServer extends AsyncDisposable {
  readonly baseUrl: string;
  readonly bodies: readonly JsonObject[];
}

async function serveImages(answer: (response: ServerResponse) => void): Promise<ImageServer> {
  const bodies: JsonObject[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    if (request.url !== '/v1/images/generations' || request.headers.authorization !== `Bearer ${keyText}`) {
      response.writeHead(404).end();
      return;
    }
    bodies.push(JSON.parse(Buffer.concat(parts).toString('utf8')));
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerWith(data: readonly JsonObject[]): (response: ServerResponse) => void {
  return (response) => response.setHeader('content-type', 'application/json').end(JSON.stringify({ created: 1, data }));
}

function openImageTools(server: ImageServer, local: LocalTools): TestDispatcher {
  const image = createOpenAiImageModel({ baseUrl: server.baseUrl, apiKey, model: 'painter', clock: hastyClock });
  const registry = createBuiltinRegistry(createModelTools({ image }));
  return createTestDispatcher({ view: registry.view({ enabled: ['image_gen'] }), sandbox: local.sandbox });
}

describe('image_generate', () => {
  test('stores what an endpoint made inside the sandbox', async () => {
    const png = pictures['image/png'];
    await using local = await openLocalTools();
    const entry = { b64_json: png.toString('base64'), revised_prompt: 'a small dot' };
    await using server = await serveImages(answerWith([entry, entry]));
    await using tools = openImageTools(server, local);
    const result = await tools.callJson('image_generate', { prompt: 'a dot', aspect_ratio: 'portrait' });
    expect(result).toEqual({
      success: true,
      image: expect.stringMatching(/\/talaria-images\/image-[0-9a-f]{16}\.png$/),
      revised_prompt: 'a small dot',
    });
    const path = String(result['image']);
    expect(path.startsWith(`${local.sandbox.temporaryFolder}/`)).toBe(true);
    expect(Buffer.from((await local.sandbox.readFile(path)).bytes)).toEqual(png);
    expect(await tools.callJson('image_generate', { prompt: 'a dot' })).toMatchObject({ image: path });
    expect(server.bodies).toEqual([
      { model: 'painter', prompt: 'a dot', n: 1, size: '1024x1536' },
      { model: 'painter', prompt: 'a dot', n: 1, size: '1536x1024' },
    ]);
  });

  test.each([
    [[{ url: 'https://host/x.png' }], { success: true, image: 'https://host/x.png' }],
    [[{ url: 'javascript:alert(1)' }], { success: false, error_kind: 'network' }],
    [[{ url: 'data:image/png;base64,AAAA' }], { success: false, error_kind: 'network' }],
    [[{ b64_json: Buffer.from('<html>').toString('base64') }], { success: false, error_kind: 'network' }],
    [[], { success: false, error_kind: 'not_available' }],
    [[{}], { success: false, error_kind: 'not_available' }],
  ])('takes the answer %#', async (data, expected) => {
    await using local = await openLocalTools();
    await using server = await serveImages(answerWith(data));
    await using tools = openImageTools(server, local);
    const { content } = await tools.call('image_generate', { prompt: 'a dot' });
    expect(JSON.parse(content)).toMatchObject(expected);
  });

  test.each([
    [401, 'not_available'],
    [400, 'not_available'],
    [429, 'network'],
    [502, 'network'],
  ])('tells of status %i without the key', async (status, errorKind) => {
    await using local = await openLocalTools();
    await using server = await serveImages((response) => {
      response.writeHead(status).end(JSON.stringify({ error: { message: `about ${keyText}` } }));
    });
    await using tools = openImageTools(server, local);
    const outcome = await tools.call('image_generate', { prompt: 'a dot' });
    expect(outcome).toMatchObject({ errorKind, content: expect.stringContaining('[redacted:MODEL_KEY]') });
    expect(outcome.content).not.toContain(keyText);
  });

  test.each([
    [{}, 'prompt'],
    [{ prompt: ' ' }, 'prompt'],
    [{ prompt: 'x'.repeat(32_001) }, 'prompt'],
    [{ prompt: 'x', aspect_ratio: 'round' }, 'aspect_ratio'],
    [{ prompt: ['x'] }, 'prompt'],
  ])('refuses wrong arguments %#', async (args, field) => {
    await using local = await openLocalTools();
    await using server = await serveImages(answerWith([]));
    await using tools = openImageTools(server, local);
    const outcome = await tools.call('image_generate', args);
    expect(outcome).toMatchObject({ errorKind: 'invalid_args', content: expect.stringContaining(field) });
    expect(server.bodies).toEqual([]);
  });
});
