import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readServerSentEvents, type ServerSentEvent } from './server-sent-events.ts';

async function* inParts(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const borders = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((left, right) => left - right);
  let start = 0;
  for (const border of [...borders, bytes.length]) {
    yield bytes.subarray(start, border);
    start = border;
  }
}

async function read(text: string, cuts: readonly number[] = []): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of readServerSentEvents(inParts(new TextEncoder().encode(text), cuts))) events.push(event);
  return events;
}

describe('readServerSentEvents', () => {
  test.each([
    ['one event', 'data: a\n\n', [{ data: 'a', isComplete: true }]],
    ['several lines of data', 'data: a\ndata: b\n\n', [{ data: 'a\nb', isComplete: true }]],
    ['carriage returns', 'data: a\r\n\r\n', [{ data: 'a', isComplete: true }]],
    ['no space after the colon', 'data:a\n\n', [{ data: 'a', isComplete: true }]],
    [
      'comments and other fields',
      ': waiting\nevent: x\nid: 1\ndata: a\n\n: end\n\n',
      [{ data: 'a', isComplete: true }],
    ],
    [
      'an event without its blank line',
      'data: a\n\ndata: [DONE]\n',
      [
        { data: 'a', isComplete: true },
        { data: '[DONE]', isComplete: false },
      ],
    ],
    ['an event cut in its line', 'data: {"a', [{ data: '{"a', isComplete: false }]],
    ['nothing', '', []],
  ])('reads %s', async (_what, text, expected) => {
    expect(await read(text)).toEqual(expected);
  });

  test('gives the same events however the bytes are cut', async () => {
    const text = ': hi\n\ndata: {"text":"wörld 🙂"}\r\n\r\ndata: a\ndata: b\n\ndata: [DONE]\n\n';
    const whole = await read(text);
    expect(whole).toHaveLength(3);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(200), { maxLength: 40 }), async (cuts) => {
        expect(await read(text, cuts)).toEqual(whole);
      }),
    );
  });
});
