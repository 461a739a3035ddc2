import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFrameSplitter } from './frame-splitter.ts';

function frame(isStderr: boolean, content: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header[0] = isStderr ? 2 : 1;
  header.writeUInt32BE(content.length, 4);
  return Buffer.concat([header, content]);
}

describe('createFrameSplitter', () => {
  test('gives back both streams, however the bytes are cut', () => {
    const frames = fc.array(fc.tuple(fc.boolean(), fc.uint8Array({ maxLength: 40 })), { maxLength: 12 });
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (contents, cuts) => {
        const whole = Buffer.concat(contents.map(([isStderr, content]) => frame(isStderr, content)));
        const heard: Record<string, Buffer[]> = { true: [], false: [] };
        const feed = createFrameSplitter((isStderr, piece) => heard[String(isStderr)]?.push(piece));
        for (let at = 0, cut = 0; at < whole.length; cut += 1) {
          const length = cuts[cut % cuts.length] ?? 1;
          feed(whole.subarray(at, at + length));
          at += length;
        }
        for (const isStderr of [true, false]) {
          const expected = contents.filter(([other]) => other === isStderr).map(([, content]) => content);
          expect(Buffer.concat(heard[String(isStderr)] ?? [])).toEqual(Buffer.concat(expected));
        }
      }),
    );
  });

  test('hands over what it has of a frame before the frame is whole', () => {
    const pieces: string[] = [];
    const feed = createFrameSplitter((_isStderr, piece) => pieces.push(piece.toString()));
    feed(frame(false, Buffer.from('half and half')).subarray(0, 12));
    expect(pieces).toEqual(['half']);
  });
});
