import { describe, expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { type ChatRequest, createPriceTable } from '../index.ts';
import { scriptedModel } from './index.ts';

const question: ChatRequest = { messages: [{ role: 'user', content: 'hi' }] };

describe('scriptedModel', () => {
  test('plays a list, one turn per call, and fails clearly after its end', async () => {
    await using model = scriptedModel([{ content: 'one' }, { content: 'two' }]);
    expect(model.name).toBe('scripted');
    expect((await model.complete(question)).message.content).toBe('one');
    expect((await model.complete(question)).message.content).toBe('two');
    await expect(model.complete(question)).rejects.toMatchObject({
      name: 'TaskError',
      code: 'task.script-ended',
      message: 'The script of model "scripted" has 2 turns, and turn 3 was asked for',
    });
  });

  test('plays a function of the request and of the number of the call', async () => {
    await using model = scriptedModel(async (request, index) => ({ content: `${request.messages.length} ${index}` }));
    await model.complete(question);
    expect((await model.complete(question)).message.content).toBe('1 1');
  });

  test('keeps what it was asked, as it was at that time', async () => {
    await using model = scriptedModel(() => ({ content: 'ok' }));
    const messages = [...question.messages];
    await model.complete({ messages });
    messages.push({ role: 'user', content: 'later' });
    expect(model.requests).toEqual([question]);
  });

  test('writes objects as JSON, and makes ids where none are given', async () => {
    await using model = scriptedModel([{ toolCalls: [{ name: 'look', arguments: { a: [1] } }] }], {
      createId: () => 'call_1',
    });
    const completion = await model.complete(question);
    expect(completion).toMatchObject({ finishReason: 'tool_calls', rawFinishReason: 'tool_calls', costUsd: 0 });
    expect(completion.message).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"a":[1]}' } }],
    });
  });

  test('estimates usage, and prices it where prices are given', async () => {
    const prices = createPriceTable({ scripted: { inputUsd: 1_000_000, outputUsd: 2_000_000 } });
    await using model = scriptedModel([{ content: '12345678' }], { prices });
    const completion = await model.complete({ messages: [{ role: 'user', content: '1234' }] });
    expect(completion.usage).toEqual({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 });
    expect(completion.costUsd).toBe(5);
  });

  test('takes its time by the clock, and can be stopped meanwhile', async () => {
    const clock = createManualClock();
    await using model = scriptedModel(() => ({ content: 'ok', delayMs: 1_000 }), { clock });
    const answer = model.complete(question);
    await clock.advance(1_000);
    expect((await answer).durationMs).toBe(1_000);
    const reason = new Error('stop');
    const controller = new AbortController();
    const stopped = model.complete(question, { signal: controller.signal });
    await clock.advance(500);
    controller.abort(reason);
    await expect(stopped).rejects.toBe(reason);
    expect(clock.pendingCount).toBe(0);
  });

  test('can be stopped while its function thinks', async () => {
    await using model = scriptedModel(() => new Promise(() => undefined));
    const reason = new Error('stop');
    const controller = new AbortController();
    const call = model.complete(question, { signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  test('fails with the error of a turn', async () => {
    const error = new Error('as told');
    await using model = scriptedModel([{ error }]);
    await expect(model.complete(question)).rejects.toBe(error);
  });

  test('streams in pieces of the length that was asked for', async () => {
    await using model = scriptedModel([{ content: 'abcdef' }], { pieceChars: 4 });
    const texts: string[] = [];
    for await (const event of model.stream(question)) if (event.type === 'text-delta') texts.push(event.text);
    expect(texts).toEqual(['abcd', 'ef']);
  });
});
