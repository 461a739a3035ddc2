import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { comparePaths } from './compare-paths.ts';
import { createHitCollector } from './hit-collector.ts';
import type { SearchHit } from './search-engine.ts';

test('holds the first matches and the lines around them, in whatever order the files come', () => {
  const file = fc.uniqueArray(fc.nat(40), { maxLength: 12 });
  const files = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd/e', 'd.e'), file), {
    selector: ([path]) => path,
  });
  fc.assert(
    fc.property(files, fc.integer({ min: 1, max: 8 }), fc.nat(3), (found, maxMatches, contextLines) => {
      const hits = found.flatMap(([path, matches]) => linesAround(path, matches, contextLines));
      const collector = createHitCollector({ maxMatches, contextLines });
      for (const hit of hits) collector.add(hit);
      const ordered = hits.toSorted((left, right) => comparePaths(left.path, right.path) || left.line - right.line);
      const matches = ordered.filter(({ isContext }) => !isContext);
      const first = collector.first();
      expect(collector.matchCount()).toBe(matches.length);
      expect(first.filter(({ isContext }) => !isContext)).toEqual(matches.slice(0, maxMatches));
      const isNear = ({ path, line }: SearchHit): boolean =>
        matches
          .slice(0, maxMatches)
          .some((match) => match.path === path && Math.abs(match.line - line) <= contextLines);
      expect(first.filter((hit) => hit.isContext && isNear(hit))).toEqual(
        ordered.filter((hit) => hit.isContext && isNear(hit)),
      );
    }),
  );
});

/** As grep prints a file: its matches and the lines around them, each once. */
function linesAround(path: string, matches: readonly number[], contextLines: number): readonly SearchHit[] {
  const isMatch = new Set(matches);
  return Array.from({ length: 50 }, (_, line) => line)
    .filter((line) => matches.some((match) => Math.abs(match - line) <= contextLines))
    .map((line) => ({ path, line, content: `${path}:${line}`, isContext: !isMatch.has(line) }));
}

test('neither more matches than are wanted twice over nor the rest of long lines stay in memory', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: unknown = runInNewContext('gc');
  if (typeof collectGarbage !== 'function') throw new TypeError('no way to collect garbage');
  const collector = createHitCollector({ maxMatches: 300, contextLines: 1 });
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let line = 1; line <= 1_000; line += 1) {
    const content = `${line} ${'x'.repeat(200_000)}`;
    collector.add({ path: `/${1_000 - line}/of/some/length`, line, content, isContext: line % 2 === 0 });
  }
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
  const first = collector.first();
  expect(first.filter(({ isContext }) => !isContext)).toHaveLength(300);
  expect(first[0]?.content).toBe(`1000 ${'x'.repeat(496)}`);
});
