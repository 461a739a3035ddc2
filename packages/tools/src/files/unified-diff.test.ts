import { expect, test } from '@jest/globals';
import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { unifiedDiff } from './unified-diff.ts';

test('a change deep in a large text has the numbers of its lines', () => {
  const lines = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`);
  const before = lines.join('');
  const after = before.replace('line 54321\n', 'changed\nadded\n');
  expect(unifiedDiff([{ path: '/f', before, after }])).toBe(
    '--- a/f\n+++ b/f\n@@ -54319,7 +54319,8 @@\n line 54318\n line 54319\n line 54320\n-line 54321\n+changed\n+added\n line 54322\n line 54323\n line 54324\n',
  );
});

test('what both texts share at the ends changes nothing about the difference', () => {
  const text = fc
    .array(fc.constantFrom('a\n', 'b\n', '\n', 'c', 'ä\r\n'), { maxLength: 12 })
    .map((pieces) => pieces.join(''));
  const change = fc.tuple(text, text, text, text);
  fc.assert(
    fc.property(change, ([start, left, right, end]) => {
      const [before, after] = [start + left + end, start + right + end];
      const whole = createTwoFilesPatch('a/f', 'b/f', before, after, undefined, undefined, { context: 3 });
      // Which of several equal lines counts as new may differ; how many do may not.
      const count = (diff: string | undefined): unknown =>
        [/^\+(?!\+)/gm, /^-(?!-)/gm].map((sign) => diff?.match(sign)?.length ?? 0);
      expect(count(unifiedDiff([{ path: 'f', before, after }]))).toEqual(count(whole));
    }),
  );
});

test('all files together have one second', () => {
  let timeMs = 0;
  const clock = (): number => {
    timeMs += 300;
    return timeMs;
  };
  const changes = ['a', 'b', 'c', 'd'].map((path) => ({ path, before: 'x\n', after: 'y\n' }));
  expect(unifiedDiff(changes.slice(0, 3), clock)).toContain('+++ b/c');
  expect(unifiedDiff(changes, clock)).toBeUndefined();
});

test('files of which each takes long to compare take no longer together', () => {
  const text = (step: number): string =>
    Array.from({ length: 6_000 }, (_, line) => `${(line * step) % 6_007}\n`).join('');
  const [before, after] = [text(1), text(4_001)];
  const startedAt = performance.now();
  expect(unifiedDiff(Array.from({ length: 20 }, (_, index) => ({ path: `${index}`, before, after })))).toBeUndefined();
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});
