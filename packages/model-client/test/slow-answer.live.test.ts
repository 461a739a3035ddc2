import { expect, test } from '@jest/globals';
import { openModelOnServer, question, readStream } from './model-on-server.ts';

/** Node's own fetch gives up after 300 s. */
const longerThanThatMs = 310_000;

test.each([
  ['begins', { content: 'late', delayMs: longerThanThatMs }],
  ['goes on', { content: 'late', pieceChars: 4, pieceDelayMs: longerThanThatMs / 2 }],
] as const)(
  'an answer that %s after 310 s comes, and is asked for once',
  async (_what, answer) => {
    await using opened = await openModelOnServer({}, { script: () => answer });
    expect((await readStream(opened.model)).at(-1)).toMatchObject({ completion: { message: { content: 'late' } } });
    expect(opened.server.requests).toHaveLength(1);
  },
  900_000,
);

test('a whole answer that comes after 310 s is asked for once', async () => {
  await using opened = await openModelOnServer({}, { script: () => ({ content: 'late', delayMs: longerThanThatMs }) });
  expect(await opened.model.complete(question)).toMatchObject({ message: { content: 'late' }, attempts: 1 });
  expect(opened.server.requests).toHaveLength(1);
}, 400_000);
