import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createByteRing, createOutputBuffer } from './output-buffer.ts';

const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 });

describe('createOutputBuffer', () => {
  test('keeps the first 40 % and the last 60 %, however the bytes are cut', () => {
    fc.assert(
      fc.property(chunks, fc.nat(100), (parts, maxBytes) => {
        const buffer = createOutputBuffer(maxBytes);
        for (const part of parts) buffer.append(part);
        const whole = Buffer.concat(parts);
        const headBytes = Math.floor(maxBytes * 0.4);
        const expected =
          whole.length <= maxBytes
            ? whole
            : Buffer.concat([whole.subarray(0, headBytes), whole.subarray(whole.length - (maxBytes - headBytes))]);
        expect(Buffer.from(buffer.bytes()).equals(expected)).toBe(true);
        expect(buffer.truncatedBytes).toBe(whole.length - expected.length);
      }),
    );
  });

  test('counts what was left out on the way, and keeps what comes after as the tail', () => {
    const buffer = createOutputBuffer(10);
    buffer.append(Buffer.from('abcdefgh'));
    buffer.skip(1_000);
    buffer.append(Buffer.from('tuvwxyz'));
    expect(Buffer.from(buffer.bytes()).toString()).toBe('abcduvwxyz');
    expect(buffer.truncatedBytes).toBe(4 + 1_000 + 1);
  });

  test('holds memory of about its limit for a flood of single bytes', () => {
    const buffer = createOutputBuffer(1_000);
    for (let index = 0; index < 100_000; index += 1) buffer.append(Uint8Array.of(index % 256));
    expect(buffer.bytes()).toHaveLength(1_000);
    expect(buffer.truncatedBytes).toBe(99_000);
  });
});

describe('createByteRing', () => {
  test('begins anew after a gap, and goes on counting', () => {
    fc.assert(
      fc.property(chunks, chunks, fc.nat(60), fc.nat(1_000), (before, after, capacity, gap) => {
        const ring = createByteRing(capacity);
        for (const part of before) ring.append(part);
        ring.skip(gap);
        for (const part of after) ring.append(part);
        const whole = Buffer.concat(after);
        const start = Buffer.concat(before).length + gap;
        expect(ring.totalBytes).toBe(start + whole.length);
        expect(ring.startOffset).toBe(start + Math.max(0, whole.length - capacity));
        expect(Buffer.from(ring.read(0)).equals(whole.subarray(Math.max(0, whole.length - capacity)))).toBe(true);
      }),
    );
  });

  test('gives any part of what it keeps, by offset in the whole', () => {
    fc.assert(
      fc.property(chunks, fc.nat(60), fc.nat(500), fc.nat(80), (parts, capacity, offset, maxBytes) => {
        const ring = createByteRing(capacity);
        for (const part of parts) ring.append(part);
        const whole = Buffer.concat(parts);
        const start = Math.max(0, whole.length - capacity);
        expect([ring.totalBytes, ring.startOffset]).toEqual([whole.length, start]);
        const from = Math.max(offset, start);
        expect(Buffer.from(ring.read(offset, maxBytes)).equals(whole.subarray(from, from + maxBytes))).toBe(true);
      }),
    );
  });
});
