import type { SearchedText, TextSpan } from './text-edit.ts';

/** Whether two lines count as the same, given which line of the pattern it is. */
export type SameLine = (line: string, wanted: string, index: number, count: number) => boolean;

/** Runs of whole lines that are the pattern's lines, one by one. A pattern of blank lines matches nothing. */
export function findLineBlocks(source: SearchedText, pattern: string, isSame: SameLine): readonly TextSpan[] {
  const lines = source.lines();
  const wanted = patternLines(pattern);
  if (wanted.every((line) => line.trim() === '')) return [];
  const spans: TextSpan[] = [];
  for (let first = 0; first + wanted.length <= lines.length; ) {
    const fits = wanted.every((line, index) => isSame(lines[first + index]?.text ?? '', line, index, wanted.length));
    if (fits) spans.push(blockSpan(source, first, wanted.length, pattern));
    first += fits ? wanted.length : 1;
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
