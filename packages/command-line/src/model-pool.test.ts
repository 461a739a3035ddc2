import { expect, test } from '@jest/globals';
import type { ChatCompletion, ChatModel } from '@talaria/model-client';
import { createModelPool } from './model-pool.ts';

const request = { messages: [] };

/** A model that answers when told to, and counts. */
function createHeldModel(name: string) {
  const waiting: ((completion: ChatCompletion) => void)[] = [];
  const disposals: string[] = [];
  const completion: ChatCompletion = {
    message: { role: 'assistant', content: name },
    finishReason: 'stop',
    rawFinishReason: 'stop',
    usage: null,
    costUsd: null,
    model: name,
    requestId: null,
    attempts: 1,
    durationMs: 0,
  };
  const model: ChatModel = {
    name,
    complete: () => new Promise((resolve) => waiting.push(resolve)),
    async *stream() {
      yield { type: 'end', completion };
    },
    async [Symbol.asyncDispose]() {
      disposals.push(name);
    },
  };
  return { model, waiting, disposals, answer: () => waiting.shift()?.(completion) };
}

test('each request goes where the fewest are under way', async () => {
  const left = createHeldModel('left');
  const right = createHeldModel('right');
  await using pool = createModelPool([left.model, right.model]);
  const answers = [pool.complete(request), pool.complete(request), pool.complete(request)];
  expect([left.waiting.length, right.waiting.length]).toEqual([2, 1]);
  right.answer();
  await answers[1];
  answers.push(pool.complete(request));
  expect([left.waiting.length, right.waiting.length]).toEqual([2, 1]);
  left.answer();
  left.answer();
  right.answer();
  expect((await Promise.all(answers)).map(({ model }) => model)).toEqual(['left', 'right', 'left', 'right']);
});

test('a stream that is left early is no longer under way', async () => {
  const left = createHeldModel('left');
  const right = createHeldModel('right');
  await using pool = createModelPool([left.model, right.model]);
  for await (const event of pool.stream(request)) {
    expect(event.type).toBe('end');
    break;
  }
  void pool.complete(request);
  expect([left.waiting.length, right.waiting.length]).toEqual([1, 0]);
});

test('disposing closes every model', async () => {
  const left = createHeldModel('left');
  const right = createHeldModel('right');
  await createModelPool([left.model, right.model])[Symbol.asyncDispose]();
  expect([left.disposals, right.disposals]).toEqual([['left'], ['right']]);
});
