import { toAscii } from './ascii-text.ts';
import { blockSpan, patternLines } from './line-blocks.ts';
import { similarityBound, similarityRatio } from './similarity-ratio.ts';
import type { SearchedText, TextSpan } from './text-edit.ts';

/** Similarity that the lines between two anchors must have: of one candidate, and of several. */
const middleOfOne = 0.7;
const middleOfSeveral = 0.85;
/** Similarity of each line and of all on average. */
const eachLine = 0.8;
const allLines = 0.9;
/** Fewest lines of a pattern that may be found by likeness. */
const minLines = 3;
/** Lines of the file times characters of the pattern, beyond which likeness is not looked for. */
const maxCost = 20_000_000;

/** Pairs of characters, beyond which texts are no longer compared. */
const maxComparisons = 100_000_000;

/** Blocks whose first and last lines are the pattern's, and whose middle is much like the pattern's. */
export function anchoredBlocks(source: SearchedText, pattern: string): readonly TextSpan[] {
  const wanted = patternLines(pattern);
  const lines = source.lines();
  if (wanted.length < minLines || lines.length * pattern.length > maxCost) return [];
  const first = anchor(wanted[0]);
  const last = anchor(wanted.at(-1));
  if (first === '' || last === '') return [];
  const candidates: number[] = [];
  for (let at = 0; at + wanted.length <= lines.length; at += 1) {
    if (anchor(lines[at]?.text) === first && anchor(lines[at + wanted.length - 1]?.text) === last) candidates.push(at);
  }
  const middle = wanted.slice(1, -1).join('\n');
  if (candidates.length * middle.length ** 2 > maxComparisons) return [];
  const atLeast = candidates.length === 1 ? middleOfOne : middleOfSeveral;
  const spans: TextSpan[] = [];
  for (const at of candidates) {
    const own = lines.slice(at + 1, at + wanted.length - 1).map((line) => line.text);
    const span = blockSpan(source, at, wanted.length, pattern);
    const overlaps = span.start < (spans.at(-1)?.end ?? 0);
    if (!overlaps && similarityRatio(own.join('\n'), middle, atLeast) >= atLeast) spans.push(span);
  }
  return spans;
}

/** The one block of which every line is like the pattern's; none where there are two. */
export function similarBlocks(source: SearchedText, pattern: string): readonly TextSpan[] {
  const wanted = patternLines(pattern);
  const lines = source.lines();
  if (wanted.length < minLines || lines.length * pattern.length > maxCost) return [];
  if (wanted.filter((line) => line.trim() !== '').length < 2) return [];
  const budget = { comparisons: maxComparisons };
  const found: TextSpan[] = [];
  for (let at = 0; at + wanted.length <= lines.length && found.length < 2; at += 1) {
    if (isLike(wanted, (index) => lines[at + index]?.text ?? '', budget)) {
      found.push(blockSpan(source, at, wanted.length, pattern));
    }
    // Where not every place was looked at, nobody knows whether there are two.
    if (budget.comparisons < 0) return [];
  }
  return found.length === 1 ? found : [];
}

function isLike(
  wanted: readonly string[],
  lineAt: (index: number) => string,
  budget: { comparisons: number },
): boolean {
  let sum = 0;
  let count = 0;
  for (const [index, line] of wanted.entries()) {
    const own = lineAt(index).trim();
    const other = line.trim();
    if ((own === '') !== (other === '')) return false;
    if (other === '') continue;
    if (own !== other) budget.comparisons -= comparisonsOf(own, other);
    if (budget.comparisons < 0) return false;
    const ratio = similarityRatio(own, other, eachLine);
    if (ratio < eachLine) return false;
    sum += ratio;
    count += 1;
  }
  return count > 0 && sum / count >= allLines;
}

/** Pairs that {@link similarityRatio} would look at: none but the characters where these alone tell the texts apart. */
function comparisonsOf(left: string, right: string): number {
  return similarityBound(left, right) < eachLine ? left.length + right.length : left.length * right.length;
}

function anchor(line: string | undefined): string {
  return toAscii(line ?? '').trim();
}
