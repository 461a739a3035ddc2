import { type MatchStrategy, matchers, unescapeText } from './match-strategies.ts';
import { createSearchedText, lineNumbersAt, type TextEdit, type TextSpan } from './text-edit.ts';

/** What is to be replaced by what. Line feeds only. */
export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly replacesAll: boolean;
}

/** What {@link replaceText} found. */
export type ReplaceResult =
  | { readonly kind: 'found'; readonly strategy: MatchStrategy; readonly edits: readonly TextEdit[] }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'ambiguous'; readonly strategy: MatchStrategy; readonly lines: readonly number[] }
  /** Both texts hold quotes with backslashes that the file does not have: the model escaped once too often. */
  | { readonly kind: 'escape-drift'; readonly escaped: string };

/** Strategies that find by likeness, and so may find what was never meant: never for several places at once. */
const onlyOnce: ReadonlySet<MatchStrategy> = new Set(['context_aware']);

/** Strategies whose matches may be indented otherwise than the text that was looked for. */
const reindents: ReadonlySet<MatchStrategy> = new Set([
  'line_trimmed',
  'whitespace_normalized',
  'unicode_normalized',
  'block_anchor',
  'context_aware',
]);

/** Finds `oldText` by the first strategy that matches anything, and says what to put there. */
export function replaceText(text: string, { oldText, newText, replacesAll }: Replacement): ReplaceResult {
  const source = createSearchedText(text);
  for (const { strategy, find } of matchers) {
    if (replacesAll && onlyOnce.has(strategy)) continue;
    const spans = find(source, oldText);
    if (spans.length === 0) continue;
    if (spans.length > 1 && !replacesAll) {
      const starts = spans.map(({ start }) => start);
      return { kind: 'ambiguous', strategy, lines: lineNumbersAt(text, starts) };
    }
    const edits: TextEdit[] = [];
    for (const span of spans) {
      const found = text.slice(span.start, span.end);
      const escaped = strategy === 'exact' ? undefined : driftedEscape(oldText, newText, found);
      if (escaped !== undefined && strategy !== 'escape_normalized') return { kind: 'escape-drift', escaped };
      const place = { strategy, oldText, text, span };
      edits.push({ ...replacedSpan(newText, place), text: fitNewText(newText, place) });
    }
    return { kind: 'found', strategy, edits };
  }
  return { kind: 'not-found' };
}

function driftedEscape(oldText: string, newText: string, found: string): string | undefined {
  return ["\\'", '\\"'].find((quote) => oldText.includes(quote) && newText.includes(quote) && !found.includes(quote));
}

interface FoundPlace {
  readonly strategy: MatchStrategy;
  readonly oldText: string;
  readonly text: string;
  readonly span: TextSpan;
}

/**
 * What the new text stands in for. Where it is blank and the line goes on behind it, no more blanks of the indentation
 * than the old text has, as within a line: nothing brings the others back, and what goes on needs them.
 */
function replacedSpan(newText: string, { oldText, text, span }: FoundPlace): TextSpan {
  if (newText.trim() !== '' || newText.includes('\n') || !startsLine(text, span)) return span;
  const lineEnd = text.indexOf('\n', span.end);
  const rest = text.slice(span.end, lineEnd === -1 ? undefined : lineEnd);
  if (rest.trim() === '' || text[span.end - 1] === '\n') return span;
  const surplus = leadingBlanks(text.slice(span.start, span.end)) - leadingBlanks(oldText);
  return { start: span.start + Math.max(0, surplus), end: span.end };
}

function startsLine(text: string, { start }: TextSpan): boolean {
  return start === 0 || text[start - 1] === '\n';
}

function leadingBlanks(text: string): number {
  return text.search(/[^ \t]|$/);
}

function fitNewText(newText: string, { strategy, oldText, text, span }: FoundPlace): string {
  if (strategy === 'exact') return newText;
  if (strategy === 'escape_normalized') return unescapeText(newText);
  const found = text.slice(span.start, span.end);
  // Tabs written as two characters, and only where they indent: elsewhere `\t` may be meant.
  const tabbed = found.includes('\t')
    ? newText.replaceAll(/^(?:\\t)+/gm, (tabs) => '\t'.repeat(tabs.length / 2))
    : newText;
  return reindents.has(strategy) && startsLine(text, span)
    ? reindent(tabbed, indentOf(oldText), indentOf(found))
    : tabbed;
}

/** Swaps the indentation that the model wrote for the file's; lines with less get the file's. */
export function reindent(text: string, from: string, to: string): string {
  if (from === to) return text;
  return text
    .split('\n')
    .map((line) => {
      if (line.trim() === '') return line;
      return to + (line.startsWith(from) ? line.slice(from.length) : line.trimStart());
    })
    .join('\n');
}

/** Indentation of the first line that is not blank. */
export function indentOf(text: string): string {
  return /^[ \t]*(?=[^\s])/m.exec(text)?.[0] ?? '';
}
