import { describe, expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { createScriptedServer, type ScriptedServer, type ServerStep } from '../src/index.ts';

function ask(server: ScriptedServer, body: object = {}, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [], ...body }),
    ...init,
  });
}

/** A body whose shape the test then looks at. */
async function readJson(response: Response) {
  return JSON.parse(await response.text());
}

/** The data of each event. */
async function readEvents(response: Response): Promise<string[]> {
  const text = await response.text();
  expect(text.endsWith('\n\n')).toBe(true);
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((event) => event.replace(/^data: /, ''));
}

const richAnswer: ServerStep = {
  content: 'Let me look.',
  reasoning: 'I should look.',
  toolCalls: [
    { name: 'look', arguments: '{"path":"/tmp"}' },
    { name: 'look', arguments: null, id: '' },
  ],
};

describe('an answer', () => {
  test('is whole where no stream is asked for', async () => {
    await using server = await createScriptedServer();
    server.enqueue(richAnswer);
    const response = await ask(server);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      model: 'm',
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: 'Let me look.',
            reasoning_content: 'I should look.',
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"path":"/tmp"}' } },
              { id: '', type: 'function', function: { name: 'look', arguments: null } },
            ],
          },
        },
      ],
      usage: { total_tokens: 20, prompt_tokens_details: { cached_tokens: 4 } },
    });
  });

  test('is a stream of the same where one is asked for', async () => {
    await using server = await createScriptedServer();
    server.enqueue(richAnswer);
    const response = await ask(server, { stream: true });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = await readEvents(response);
    expect(events.at(-1)).toBe('[DONE]');
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event));
    const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice: { delta: unknown }) => choice.delta));
    const join = (field: string): string => deltas.map((delta) => delta[field] ?? '').join('');
    expect(join('content')).toBe('Let me look.');
    expect(join('reasoning_content')).toBe('I should look.');
    const calls = deltas.flatMap((delta) => delta.tool_calls ?? []);
    expect(calls[0]).toEqual({ index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } });
    expect(
      calls
        .filter((call) => call.index === 0)
        .map((call) => call.function.arguments)
        .join(''),
    ).toBe('{"path":"/tmp"}');
    expect(chunks.at(-2).choices[0].finish_reason).toBe('tool_calls');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 20 } });
  });

  test.each([
    ['reasoning_content', { reasoning_content: 'R', content: 'C' }],
    ['reasoning', { reasoning: 'R', content: 'C' }],
    ['reasoning_details', { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'R' }], content: 'C' }],
    ['inline', { content: '<think>R</think>C' }],
  ] as const)('has its reasoning in %s', async (reasoningField, message) => {
    await using server = await createScriptedServer({
      script: () => ({ content: 'C', reasoning: 'R', reasoningField }),
    });
    expect(await (await ask(server)).json()).toMatchObject({ choices: [{ message }] });
  });

  test('comes from the queue first, then from the script, which sees the request', async () => {
    await using server = await createScriptedServer({
      script: (request, index) => ({ content: `${index} ${request.body?.['model']}` }),
    });
    server.enqueue({ content: 'queued' });
    const contents = [];
    for (let call = 0; call < 2; call += 1)
      contents.push((await readJson(await ask(server))).choices[0].message.content);
    expect(contents).toEqual(['queued', '1 m']);
    expect(server.requests).toMatchObject([
      { method: 'POST', path: '/v1/chat/completions', body: { model: 'm', messages: [] } },
      { headers: { 'content-type': 'application/json' } },
    ]);
    expect(await server.requests[0]?.ended).toBe('answered');
  });

  test('takes its time by the clock', async () => {
    const clock = createManualClock();
    await using server = await createScriptedServer({ clock, script: () => ({ content: 'late', delayMs: 60_000 }) });
    const answer = ask(server);
    await server.whenRequests(1);
    await clock.advance(60_000);
    expect((await answer).status).toBe(200);
  });

  test('has fields of its message and of itself replaced where the step says so', async () => {
    await using server = await createScriptedServer();
    server.enqueue({ content: 'x', message: { content: [] }, body: { model: 'other' } });
    expect(await (await ask(server)).json()).toMatchObject({ model: 'other', choices: [{ message: { content: [] } }] });
  });
});

describe('a fault', () => {
  test('of rate limits sends the wait word for word, in either form', async () => {
    await using server = await createScriptedServer();
    server.enqueue(
      { fault: 'rate-limited', retryAfter: 'Thu, 01 Jan 2026 00:00:00 GMT' },
      { fault: 'rate-limited', retryAfterMs: 5 },
    );
    const first = await ask(server);
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, 'Thu, 01 Jan 2026 00:00:00 GMT']);
    const second = await ask(server);
    expect([second.headers.get('retry-after'), second.headers.get('retry-after-ms')]).toEqual([null, '5']);
    await Promise.all([first.text(), second.text()]);
  });

  test.each<[string, ServerStep, number, string | RegExp]>([
    ['status', { fault: 'status', status: 500, body: 'broken' }, 500, 'broken'],
    ['status with JSON', { fault: 'status', status: 418, body: { a: 1 } }, 418, '{"a":1}'],
    ['html', { fault: 'html' }, 200, /^<!doctype html>/],
    ['malformed-json', { fault: 'malformed-json' }, 200, /oops$/],
    ['empty-choices', { fault: 'empty-choices' }, 200, /"choices":\[\]/],
  ])('%s is answered', async (_name, step, status, body) => {
    await using server = await createScriptedServer({ script: () => step });
    const response = await ask(server);
    expect(response.status).toBe(status);
    expect(await response.text()).toEqual(typeof body === 'string' ? body : expect.stringMatching(body));
  });

  test.each(['half-event', 'no-finish'] as const)('%s ends a stream properly, without [DONE]', async (fault) => {
    await using server = await createScriptedServer({ script: () => ({ fault, pieces: 2 }) });
    const text = await (await ask(server, { stream: true })).text();
    expect(text).not.toContain('[DONE]');
    expect(text.endsWith('\n\n')).toBe(fault === 'no-finish');
    expect(text.split('\n\n').length).toBe(3);
  });

  test.each([true, false])('cut breaks the connection in the middle (stream: %s)', async (stream) => {
    await using server = await createScriptedServer({ script: () => ({ fault: 'cut' }) });
    const response = await ask(server, { stream });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toMatchObject({ message: 'terminated' });
    expect(await server.requests[0]?.ended).toBe('closed');
  });

  test('hang-up closes before any answer', async () => {
    await using server = await createScriptedServer({ script: () => ({ fault: 'hang-up' }) });
    await expect(ask(server)).rejects.toMatchObject({ message: 'fetch failed' });
  });

  test.each([
    ['silence', false],
    ['silence', true],
    ['stall', false],
    ['stall', true],
  ] as const)('%s waits until the client goes (stream: %s)', async (fault, stream) => {
    await using server = await createScriptedServer({ script: () => ({ fault }) });
    const controller = new AbortController();
    const reading = ask(server, { stream }, { signal: controller.signal }).then((response) => response.text());
    await server.whenRequests(1);
    controller.abort(new Error('enough'));
    await expect(reading).rejects.toMatchObject({ message: 'enough' });
    expect(await server.requests[0]?.ended).toBe('closed');
  });

  test.each([true, false])('huge is a good answer of that size (stream: %s)', async (stream) => {
    await using server = await createScriptedServer({ script: () => ({ fault: 'huge', bytes: 300_000 }) });
    const response = await ask(server, { stream });
    if (stream) {
      const texts = (await readEvents(response))
        .slice(0, -1)
        .map((event) => JSON.parse(event).choices[0].delta.content ?? '');
      expect(texts.join('')).toHaveLength(300_000);
    } else {
      expect((await readJson(response)).choices[0].message.content).toHaveLength(300_000);
    }
  });
});

describe('the server', () => {
  test('refuses a wrong key, and no key, where it has one', async () => {
    await using server = await createScriptedServer({ apiKey: 'right' });
    for (const authorization of [undefined, 'Bearer wrong', 'Bearer rightx']) {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await ask(server, {}, { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ error: { code: 'invalid_api_key' } });
    }
    const response = await ask(server, {}, { headers: { authorization: 'Bearer right' } });
    expect(response.status).toBe(200);
    await response.text();
    expect(server.requests).toHaveLength(1);
  });

  test('lists its models, and knows no other path', async () => {
    await using server = await createScriptedServer({ models: ['a', 'b'] });
    const list = await readJson(await fetch(`${server.baseUrl}/models`));
    expect(list.data.map((entry: { id: string }) => entry.id)).toEqual(['a', 'b']);
    const response = await fetch(`${server.origin}/chat/completions`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(404);
    await response.text();
  });

  test('tells a fault of its script', async () => {
    await using server = await createScriptedServer({
      script() {
        throw new Error('bug');
      },
    });
    const response = await ask(server);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('bug');
  });

  test('closes with requests under way, and can be disposed of twice', async () => {
    const server = await createScriptedServer({ script: () => ({ fault: 'silence' }) });
    const call = ask(server);
    const failed = expect(call).rejects.toMatchObject({ message: 'fetch failed' });
    await server.whenRequests(1);
    await server[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await failed;
    await expect(ask(server)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  test('rejects where its port is taken', async () => {
    await using server = await createScriptedServer();
    const port = Number(new URL(server.origin).port);
    await expect(createScriptedServer({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
