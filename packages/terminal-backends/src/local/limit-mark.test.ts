import { describe, expect, test } from '@jest/globals';
import { limitMarkOf, parseLimitMark } from './limit-mark.ts';

describe('limitMarkOf', () => {
  test('gives each sandbox a number that JavaScript and the kernel hold exactly', () => {
    const marks = Array.from({ length: 1_000 }, (_, index) => limitMarkOf(`sandbox_${index}`));
    expect(new Set(marks).size).toBe(1_000);
    for (const mark of marks) expect(String(Number(mark))).toBe(mark);
  });
});

describe('parseLimitMark', () => {
  const line = (value: string) => `Max nice priority  0  0\nMax realtime timeout      ${value}   unlimited   us\n`;

  test('finds the mark, and takes no ordinary limit for one', () => {
    expect(parseLimitMark(line(limitMarkOf('a')))).toBe(limitMarkOf('a'));
    expect(parseLimitMark(line('unlimited'))).toBeNull();
    expect(parseLimitMark(line('200000'))).toBeNull();
    expect(parseLimitMark('')).toBeNull();
  });
});
