import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readJobReply } from './job-reply.ts';

const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\n');

test('whatever bytes come, they are read as they were', () => {
  const piece = fc.record({ at: fc.nat(), bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }) });
  fc.assert(
    fc.property(fc.array(piece), fc.array(piece), (output, errors) => {
      const write = (name: string, pieces: typeof output) =>
        `${pieces.map(({ at, bytes }) => `:${name} ${at}\n${encode(bytes)}\n`).join('')}:${name}-end 7\n`;
      const reply = readJobReply(`state exited 3\n${write('o', output)}${write('e', errors)}.\n`);
      const expected = (pieces: typeof output) => pieces.map(({ at, bytes }) => ({ at, bytes: Buffer.from(bytes) }));
      expect(reply).toEqual({
        ...{ kind: 'news', state: 'exited', exitCode: 3, isFull: false },
        output: { pieces: expected(output), end: 7 },
        errors: { pieces: expected(errors), end: 7 },
      });
    }),
  );
});

test('an answer that breaks off anywhere is none', () => {
  const whole = 'full\nstate running -\n:o 0\nZmlsZQ==\n:o-end 4\n.\n';
  expect(readJobReply(whole)).toMatchObject({ kind: 'news', state: 'running', exitCode: null, isFull: true });
  for (let length = 0; length < whole.length; length += 1) expect(readJobReply(whole.slice(0, length))).toBeNull();
});

test.each(['gone', 'failed', 'no-space', 'no-variables'])('%s is an answer', (word) => {
  expect(readJobReply(`${word}\n`)).toEqual({ kind: word });
});

test.each(['', 'sh: not found\n', 'gone fishing\n', 'state lost -\n.\n'])('%j is none', (text) => {
  expect(readJobReply(text)).toBeNull();
});
