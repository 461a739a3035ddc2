import { describe, expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import type { ReasoningField } from '@talaria/testing-services';
import undici from 'undici';
import { createPriceTable } from '../src/index.ts';
import { createOpenAiModel, type OpenAiModelOptions } from '../src/openai/index.ts';
import { apiKey, openModelOnServer, question, readStream } from './model-on-server.ts';

describe('a request', () => {
  test('carries the key, the headers, the model and the extra bodies', async () => {
    await using opened = await openModelOnServer({
      headers: { 'x-title': 'talaria' },
      extraBody: { top_k: 5, min_p: 1 },
    });
    await opened.model.complete({ ...question, extraBody: { top_k: 6 } });
    const [request] = opened.server.requests;
    expect(request?.headers).toMatchObject({ authorization: `Bearer ${apiKey.reveal()}`, 'x-title': 'talaria' });
    expect(request?.body).toEqual({ model: 'test-model', messages: question.messages, top_k: 6, min_p: 1 });
  });

  test('without a key has no such header, whatever the environment holds', async () => {
    await using opened = await openModelOnServer({ apiKey: null });
    await opened.model.complete(question);
    expect(opened.server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test('sends stored reasoning back, unless told not to', async () => {
    const messages = [{ role: 'assistant', content: 'a', reasoning_content: 'r' } as const];
    for (const [sendsReasoning, expected] of [
      [undefined, messages],
      [false, [{ role: 'assistant', content: 'a' }]],
    ] as const) {
      await using opened = await openModelOnServer({ sendsReasoning });
      await opened.model.complete({ messages });
      expect(opened.server.requests[0]?.body?.['messages']).toEqual(expected);
    }
  });
});

describe('an answer', () => {
  test.each<[ReasoningField, string | undefined, string]>([
    ['reasoning_content', 'I think.', 'Yes'],
    ['reasoning', 'I think.', 'Yes'],
    ['reasoning_details', 'I think.', 'Yes'],
    ['inline', undefined, '<think>I think.</think>Yes'],
  ])('has its reasoning from %s, whole and streamed', async (reasoningField, reasoning, content) => {
    await using opened = await openModelOnServer(
      {},
      { script: () => ({ content: 'Yes', reasoning: 'I think.', reasoningField }) },
    );
    const whole = await opened.model.complete(question);
    expect(whole.message.reasoning_content).toBe(reasoning);
    expect(whole.message.content).toBe(content);
    const last = (await readStream(opened.model)).at(-1);
    expect(last).toMatchObject({ type: 'end', completion: { message: whole.message } });
    expect(whole.message.reasoning_details === undefined).toBe(reasoningField !== 'reasoning_details');
  });

  test('has its usage with cached and reasoning tokens, and its cost', async () => {
    const prices = createPriceTable({ 'test-model': { inputUsd: 2, cachedInputUsd: 1, outputUsd: 4 } });
    await using opened = await openModelOnServer({ prices });
    const whole = await opened.model.complete(question);
    expect(whole.usage).toEqual({
      prompt_tokens: 12,
      completion_tokens: 8,
      total_tokens: 20,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 2 },
    });
    expect(whole.costUsd).toBeCloseTo((8 * 2 + 4 * 1 + 8 * 4) / 1e6, 12);
    expect((await readStream(opened.model)).at(-1)).toMatchObject({
      completion: { usage: whole.usage, costUsd: whole.costUsd },
    });
  });

  test('has no usage and no cost where the endpoint reports none, and no cost where the price is unknown', async () => {
    await using opened = await openModelOnServer();
    opened.server.enqueue({ content: 'x', usage: null }, { content: 'x', usage: { prompt_tokens: -1 } });
    expect(await opened.model.complete(question)).toMatchObject({ usage: null, costUsd: null });
    expect(await opened.model.complete(question)).toMatchObject({ usage: null, costUsd: null });
    expect(await opened.model.complete(question)).toMatchObject({ usage: { total_tokens: 20 }, costUsd: null });
  });

  test('is normalised: arguments of other types, ids that are missing or doubled', async () => {
    await using opened = await openModelOnServer(
      { createId: () => 'call_new' },
      {
        script: () => ({
          toolCalls: [
            { name: 'a', arguments: null, id: 'x' },
            { name: 'b', arguments: { deep: [1] }, id: 'x' },
            { name: 'c', id: '' },
          ],
        }),
      },
    );
    const expected = [
      { id: 'x', type: 'function', function: { name: 'a', arguments: '' } },
      { id: 'call_new', type: 'function', function: { name: 'b', arguments: '{"deep":[1]}' } },
      { id: expect.any(String), type: 'function', function: { name: 'c', arguments: '' } },
    ];
    expect((await opened.model.complete(question)).message.tool_calls).toEqual(expected);
    expect((await readStream(opened.model)).at(-1)).toMatchObject({
      completion: { message: { tool_calls: expected } },
    });
  });

  test.each([
    ['stop', 'stop'],
    ['end_turn', 'stop'],
    ['max_tokens', 'length'],
    ['content_filter', 'content_filter'],
    ['something new', 'unknown'],
    [null, 'unknown'],
  ])('with the finish reason %s is told as %s', async (finishReason, expected) => {
    await using opened = await openModelOnServer({}, { script: () => ({ content: 'x', finishReason }) });
    const told = { finishReason: expected, rawFinishReason: finishReason };
    expect(await opened.model.complete(question)).toMatchObject(told);
    expect((await readStream(opened.model)).at(-1)).toMatchObject({ completion: told });
  });

  test('in UTF-8 survives every cut of its bytes', async () => {
    const content = 'é🙂 漢字 '.repeat(2_000);
    await using opened = await openModelOnServer({}, { script: () => ({ content, pieceChars: 3 }) });
    expect((await opened.model.complete(question)).message.content).toBe(content);
    expect((await readStream(opened.model)).at(-1)).toMatchObject({ completion: { message: { content } } });
  });
});

describe('createOpenAiModel', () => {
  test('opens connections that wait for an answer without any limit of their own', async () => {
    const agents: unknown[] = [];
    const counted: typeof import('undici') = {
      ...undici,
      Agent: class extends undici.Agent {
        constructor(options: undici.Agent.Options) {
          super(options);
          agents.push(options);
        }
      },
    };
    await using opened = await openModelOnServer({ undici: counted });
    await opened.model.complete(question);
    expect(agents).toEqual([{ headersTimeout: 0, bodyTimeout: 0, allowH2: false }]);
  });

  test.each<[string, Partial<Record<keyof OpenAiModelOptions | 'timeOutMs', unknown>>, RegExp, RegExp]>([
    ['an unknown option', { timeOutMs: 5 }, /has no option "timeOutMs"/, /Did you mean "timeoutMs"\?/],
    ['no model', { model: '' }, /OpenAiModelOptions.model/, /"model"/],
    ['a base URL that is none', { baseUrl: 'localhost:80' }, /OpenAiModelOptions.baseUrl is localhost:80/, /"baseUrl"/],
    ['a key in the URL', { baseUrl: 'http://a:sk-open@c/v1' }, /a key belongs into apiKey/, /"baseUrl"/],
    ['a key that is no Secret', { apiKey: 'sk-open' }, /OpenAiModelOptions.apiKey is/, /"apiKey"/],
    [
      'no key at all',
      { apiKey: undefined },
      /OpenAiModelOptions.apiKey is wrong: a Secret or null is wanted/,
      /"apiKey"/,
    ],
    [
      'a key with a line break',
      { apiKey: new Secret('K', 'sk-open\n') },
      /look for a line break at its end/,
      /"apiKey"/,
    ],
    ['an empty key', { apiKey: new Secret('K', '') }, /a key is not empty/, /"apiKey"/],
    ['a header with a line break', { headers: { 'x-key': 'sk-open\n' } }, /headers.x-key is wrong: a header/, /x-key/],
    ['a time-out of nothing', { timeoutMs: 0 }, /OpenAiModelOptions.timeoutMs is 0/, /"timeoutMs"/],
  ])('refuses %s', async (_what, fields, message, hint) => {
    const options = { model: 'm', apiKey: null, ...fields };
    // As from JavaScript: the compiler would refuse it before.
    const open: (options: never) => Promise<unknown> = createOpenAiModel;
    const error = await Reflect.apply(open, undefined, [options]).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      name: 'ConfigError',
      code: 'config.invalid',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
    expect(String(error)).not.toContain('sk-open');
  });

  test('is named as told, else by its model', async () => {
    await using plain = await createOpenAiModel({ model: 'm', apiKey: null });
    await using named = await createOpenAiModel({ model: 'm', name: 'mine', apiKey: new Secret('K', 'x') });
    expect([plain.name, named.name]).toEqual(['m', 'mine']);
  });
});
