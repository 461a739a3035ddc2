import type { SearchedText, TextSpan } from './text-edit.ts';

/** What of a line counts: lines that give the same text are the same. */
export type LineKey = (line: string) => string;

/**
 * Where `wanted` stands in `items`: the index of the first item of each place, overlapping ones too, not before `from`.
 * Linear (Knuth, Morris and Pratt), since both come from a model and may repeat themselves for ever.
 */
export function findRuns<Item>(items: ArrayLike<Item>, wanted: ArrayLike<Item>, from = 0): readonly number[] {
  if (wanted.length === 0) return [];
  const borders = bordersOf(wanted);
  const found: number[] = [];
  let matched = 0;
  for (let index = from; index < items.length; index += 1) {
    while (matched > 0 && items[index] !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (items[index] === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    found.push(index - wanted.length + 1);
    matched = borders[matched - 1] ?? 0;
  }
  return found;
}

/** For each start of the list, how many of its last items are its first ones again. */
function bordersOf(wanted: ArrayLike<unknown>): Int32Array {
  const borders = new Int32Array(wanted.length);
  let length = 0;
  for (let index = 1; index < wanted.length; index += 1) {
    while (length > 0 && wanted[index] !== wanted[length]) length = borders[length - 1] ?? 0;
    if (wanted[index] === wanted[length]) length += 1;
    borders[index] = length;
  }
  return borders;
}

/** Runs of whole lines that are the pattern's lines, of two that overlap the first. A pattern of blank lines matches nothing. */
export function findLineBlocks(source: SearchedText, pattern: string, keyOf: LineKey): readonly TextSpan[] {
  const wanted = patternLines(pattern);
  if (wanted.every((line) => line.trim() === '')) return [];
  const items = source.lines().map((line) => keyOf(line.text));
  const spans: TextSpan[] = [];
  let free = 0;
  for (const first of findRuns(items, wanted.map(keyOf))) {
    if (first < free) continue;
    spans.push(blockSpan(source, first, wanted.length, pattern));
    free = first + wanted.length;
  }
  return spans;
}

/** The pattern's lines; a final line break starts none. */
export function patternLines(pattern: string): readonly string[] {
  return (pattern.endsWith('\n') ? pattern.slice(0, -1) : pattern).split('\n');
}

/** The span of some lines, with the last break where the pattern has it. */
export function blockSpan(source: SearchedText, first: number, count: number, pattern: string): TextSpan {
  const lines = source.lines();
  const end = lines[first + count - 1]?.end ?? 0;
  return { start: lines[first]?.start ?? 0, end: pattern.endsWith('\n') ? Math.min(end + 1, source.text.length) : end };
}
