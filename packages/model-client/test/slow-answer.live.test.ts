import { describe, expect, test } from '@jest/globals';
import { openModelOnServer, question, readStream } from './model-on-server.ts';

/** Node's own fetch gives up after 300 s of silence. */
const silenceMs = 310_000;

const limitMs = 400_000;

// At the same time, since each of them only waits.
describe('an answer after 310 s of silence comes, and is asked for once', () => {
  test.concurrent(
    'whole',
    async () => {
      await using opened = await openModelOnServer({}, { script: () => ({ content: 'late', delayMs: silenceMs }) });
      expect(await opened.model.complete(question)).toMatchObject({ message: { content: 'late' }, attempts: 1 });
      expect(opened.server.requests).toHaveLength(1);
    },
    limitMs,
  );

  test.concurrent(
    'streamed, the silence before its head',
    async () => {
      await using opened = await openModelOnServer({}, { script: () => ({ content: 'late', delayMs: silenceMs }) });
      expect((await readStream(opened.model)).at(-1)).toMatchObject({ completion: { message: { content: 'late' } } });
      expect(opened.server.requests).toHaveLength(1);
    },
    limitMs,
  );

  test.concurrent(
    'streamed, the silence between two pieces',
    async () => {
      // Two pieces only: the role and the finish reason.
      const answer = { content: '', usage: null, pieceDelayMs: silenceMs };
      await using opened = await openModelOnServer({}, { script: () => answer });
      expect((await readStream(opened.model)).at(-1)).toMatchObject({
        completion: { finishReason: 'stop', attempts: 1 },
      });
      expect(opened.server.requests).toHaveLength(1);
    },
    limitMs,
  );
});
