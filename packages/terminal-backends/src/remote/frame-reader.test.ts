import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type AnswerEnd, createFrameReader } from './frame-reader.ts';

const nonce = '0123456789abcdef';

function read(bytes: Buffer, cuts: readonly number[]): { output: Buffer; end: AnswerEnd | null } {
  const heard: Buffer[] = [];
  const reader = createFrameReader(nonce, (chunk) => heard.push(Buffer.from(chunk)));
  let end: AnswerEnd | null = null;
  const edges = [0, ...[...cuts].sort((left, right) => left - right), bytes.length];
  for (const [index, from] of edges.entries()) {
    const to = edges[index + 1];
    if (to !== undefined && to > from) end ??= reader.feed(bytes.subarray(from, to));
  }
  return { output: Buffer.concat(heard), end };
}

function frame(output: Buffer, folder = '/a'): Buffer {
  return Buffer.concat([
    Buffer.from('late output of before \x1eB:other\x1e'),
    Buffer.from(`\x1eB:${nonce}\x1e`),
    output,
    Buffer.from(`\x1eE:${nonce}:7:1:${folder}\x1eZ:${nonce}\x1e`),
  ]);
}

describe('an answer', () => {
  test('with a gap in it keeps what was held back before that', () => {
    const heard: string[] = [];
    const reader = createFrameReader(nonce, (chunk) => heard.push(chunk.toString()));
    expect(reader.cutOff()).toBe(false);
    reader.feed(Buffer.from(`\x1eB:${nonce}\x1eone\x1eE:0123`));
    expect(reader.cutOff()).toBe(true);
    expect(reader.feed(Buffer.from(`two\x1eE:${nonce}:7:1:/a\x1eZ:${nonce}\x1e`))).toMatchObject({ status: '7' });
    expect(heard.join('')).toBe('one\x1eE:0123two');
  });

  test('is taken out of what stands around it, wherever it is cut', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .constantFrom('\x1e', '\x1eE:', `\x1eE:${nonce}`, `\x1eB:${nonce}\x1e`, '\x1eE:0123')
        .map((text) => Buffer.from(text)),
    );
    const cuts = fc.array(fc.nat(400), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), cuts, (pieces, at) => {
        const output = Buffer.concat(pieces);
        // Who knows the nonce can write the end; a command does not.
        fc.pre(!output.includes(`\x1eE:${nonce}:`));
        const bytes = frame(output);
        const read1 = read(
          bytes,
          at.filter((cut) => cut < bytes.length),
        );
        expect(read1.output.equals(output)).toBe(true);
        expect(read1.end).toEqual({ status: '7', hasSaved: true, folder: '/a' });
      }),
      { numRuns: 500 },
    );
  });

  test('may end in a folder with any name', () => {
    expect(read(frame(Buffer.from('x'), '/with:colons\nand lines'), []).end?.folder).toBe('/with:colons\nand lines');
  });

  test('has no end before its end', () => {
    const bytes = frame(Buffer.from('output'));
    expect(read(bytes.subarray(0, -1), []).end).toBe(null);
  });

  test('hands on what is certain at once', () => {
    const heard: string[] = [];
    const reader = createFrameReader(nonce, (chunk) => heard.push(chunk.toString()));
    reader.feed(Buffer.from(`\x1eB:${nonce}\x1eone`));
    reader.feed(Buffer.from('two\x1e'));
    expect(heard).toEqual(['one', 'two']);
  });
});
