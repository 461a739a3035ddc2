import { toAscii, toAsciiWithPositions } from './ascii-text.ts';
import { findLineBlocks, type LineKey } from './line-blocks.ts';
import { anchoredBlocks, similarBlocks } from './similar-blocks.ts';
import type { SearchedText, TextSpan } from './text-edit.ts';

/** How `old_string` was found. */
export type MatchStrategy =
  | 'exact'
  | 'line_trimmed'
  | 'whitespace_normalized'
  | 'escape_normalized'
  | 'unicode_normalized'
  | 'block_anchor'
  | 'context_aware';

/** One way of finding a pattern in a text; the spans do not overlap and stand in order. */
export interface Matcher {
  readonly strategy: MatchStrategy;
  readonly find: (source: SearchedText, pattern: string) => readonly TextSpan[];
}

/**
 * In the order in which they are tried: each looser than the one before. Upstream's `indentation_flexible` and
 * `trimmed_boundary` are not among them: whatever they find, `line_trimmed` has found before.
 */
export const matchers: readonly Matcher[] = [
  { strategy: 'exact', find: ({ text }, pattern) => findExact(text, pattern) },
  { strategy: 'line_trimmed', find: byLines((line) => line.trim()) },
  { strategy: 'whitespace_normalized', find: findIgnoringWhitespace },
  { strategy: 'escape_normalized', find: findUnescaped },
  { strategy: 'unicode_normalized', find: findIgnoringTypography },
  { strategy: 'block_anchor', find: anchoredBlocks },
  { strategy: 'context_aware', find: similarBlocks },
];

function findExact(text: string, pattern: string): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  for (let at = text.indexOf(pattern); at !== -1; at = text.indexOf(pattern, at + pattern.length)) {
    spans.push({ start: at, end: at + pattern.length });
  }
  return spans;
}

/** `\n`, `\t` and `\r` that were written as two characters become what they stand for. */
export function unescapeText(text: string): string {
  return text.replaceAll(/\\r\\n|\\[ntr]/g, (written) => (written === '\\t' ? '\t' : written === '\\r' ? '\r' : '\n'));
}

function findUnescaped({ text }: SearchedText, pattern: string): readonly TextSpan[] {
  const unescaped = unescapeText(pattern);
  return unescaped === pattern ? [] : findExact(text, unescaped);
}

function byLines(keyOf: LineKey): Matcher['find'] {
  return (source, pattern) => findLineBlocks(source, pattern, keyOf);
}

/**
 * Runs of blanks count as one. Both ends must fall on borders of words. Of a run at either end no more is taken than the
 * pattern has there, but for the indentation of a line, which is taken whole: the new text brings it back, if it has any.
 */
function findIgnoringWhitespace({ text }: SearchedText, pattern: string): readonly TextSpan[] {
  const wanted = pattern.replaceAll(/[ \t]+/g, ' ');
  // Positions are only worked out where something is found.
  if (wanted.trim() === '' || !text.replaceAll(/[ \t]+/g, ' ').includes(wanted)) return [];
  const { text: normal, starts, ends } = collapseBlanks(text);
  const leading = blanksFrom(pattern, 0, 1);
  const trailing = blanksFrom(pattern, pattern.length - 1, -1);
  return findExact(normal, wanted).flatMap(({ start, end }) => {
    const indent = starts[start] ?? 0;
    const startsLine = indent === 0 || text[indent - 1] === '\n';
    const span = {
      start: leading === 0 || startsLine ? indent : Math.max(indent, (ends[start] ?? 0) - leading),
      end: Math.min(ends[end - 1] ?? 0, (starts[end - 1] ?? 0) + Math.max(1, trailing)),
    };
    return isWordBorder(text, span.start) && isWordBorder(text, span.end) ? [span] : [];
  });
}

function collapseBlanks(text: string): { text: string; starts: readonly number[]; ends: readonly number[] } {
  const starts: number[] = [];
  const ends: number[] = [];
  const pieces: string[] = [];
  for (let index = 0; index < text.length; ) {
    const start = index;
    const isBlank = isBlankAt(text, index);
    index += 1;
    while (isBlank && isBlankAt(text, index)) index += 1;
    pieces.push(isBlank ? ' ' : text.charAt(start));
    starts.push(start);
    ends.push(index);
  }
  return { text: pieces.join(''), starts, ends };
}

/** Blanks in one piece from a position on, forwards or backwards. */
function blanksFrom(text: string, position: number, step: 1 | -1): number {
  let at = position;
  while (isBlankAt(text, at)) at += step;
  return Math.abs(at - position);
}

function isBlankAt(text: string, index: number): boolean {
  const character = text.charAt(index);
  return character === ' ' || character === '\t';
}

function isWordBorder(text: string, position: number): boolean {
  return !(isWordCharacter(text[position - 1]) && isWordCharacter(text[position]));
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}

/** As ASCII on both sides, first anywhere, then by trimmed lines. */
function findIgnoringTypography(source: SearchedText, pattern: string): readonly TextSpan[] {
  const { text } = source;
  const wanted = toAscii(pattern);
  const plain = toAscii(text);
  if (plain === text && wanted === pattern) return [];
  if (plain.includes(wanted)) {
    const ascii = toAsciiWithPositions(text);
    const spans = findExact(ascii.text, wanted).flatMap((span) => {
      const start = ascii.positions[span.start] ?? -1;
      const end = ascii.positions[span.end] ?? -1;
      return start === -1 || end === -1 ? [] : [{ start, end }];
    });
    if (spans.length > 0) return spans;
  }
  return findLineBlocks(source, pattern, (line) => toAscii(line).trim());
}
