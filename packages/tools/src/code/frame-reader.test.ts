import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFrameReader } from './frame-reader.ts';

function frame(kind: string, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`\x02${body.length + 1}:${kind}`), body]);
}

describe('createFrameReader', () => {
  test('gives the same frames however the stream was cut, whatever their bytes', () => {
    const bodies = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 });
    fc.assert(
      fc.property(bodies, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (contents, sizes) => {
        const stream = Buffer.concat(contents.map((body) => frame('c', body)));
        const reader = createFrameReader(1_000);
        const got: Buffer[] = [];
        for (let at = 0, turn = 0; at < stream.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          got.push(...reader.push(stream.subarray(at, at + size)).map(({ body }) => body));
          at += size;
        }
        expect(got.map((body) => body.toString('hex'))).toEqual(
          contents.map((body) => Buffer.from(body).toString('hex')),
        );
        expect(reader.isBroken).toBe(false);
      }),
    );
  });

  test('passes over what a shell says before the first frame, but not over much', () => {
    const reader = createFrameReader(1_000);
    expect(reader.push(Buffer.from('the folder is gone\n'))).toEqual([]);
    expect(reader.push(Buffer.concat([Buffer.from('more\n'), frame('s', Buffer.alloc(0))]))).toHaveLength(1);
    const flooded = createFrameReader(1_000);
    flooded.push(Buffer.alloc(100_000, 'a'));
    expect(flooded.isBroken).toBe(true);
  });

  test.each([
    ['no frame after a frame', Buffer.concat([frame('s', Buffer.alloc(0)), Buffer.from('print')])],
    ['no number', Buffer.from('\x02ab:c')],
    ['a number without end', Buffer.from(`\x02${'1'.repeat(20)}`)],
    ['more than is allowed', Buffer.from('\x021001:c')],
    ['an empty frame', Buffer.from('\x020:')],
  ])('breaks at %s, and reads nothing more', (_name, bytes) => {
    const reader = createFrameReader(1_000);
    reader.push(bytes);
    expect(reader.isBroken).toBe(true);
    expect(reader.push(frame('c', Buffer.from('late')))).toEqual([]);
  });
});
