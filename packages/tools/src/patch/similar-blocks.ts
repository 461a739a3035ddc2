import { toAscii } from './ascii-text.ts';
import { blockSpan, patternLines } from './line-blocks.ts';
import { type ComparisonBudget, similarityRatio } from './similarity-ratio.ts';
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

/** Steps of all comparisons of one search: about a fifth of a second, in which nothing else runs. */
const maxSteps = 20_000_000;

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
  const limits = { atLeast: candidates.length === 1 ? middleOfOne : middleOfSeveral, budget: { steps: maxSteps } };
  const spans: TextSpan[] = [];
  for (const at of candidates) {
    const own = source.text.slice(lines[at + 1]?.start, lines[at + wanted.length - 2]?.end);
    const span = blockSpan(source, at, wanted.length, pattern);
    const overlaps = span.start < (spans.at(-1)?.end ?? 0);
    if (!overlaps && similarityRatio(own, middle, limits) >= limits.atLeast) spans.push(span);
    // Where not every place was looked at, nobody knows which of them is meant.
    if (limits.budget.steps < 0) return [];
  }
  return spans;
}

/** The one block of which every line is like the pattern's; none where there are two. */
export function similarBlocks(source: SearchedText, pattern: string): readonly TextSpan[] {
  const wanted = patternLines(pattern);
  const lines = source.lines();
  if (wanted.length < minLines || lines.length * pattern.length > maxCost) return [];
  if (wanted.filter((line) => line.trim() !== '').length < 2) return [];
  const wantedLines = wanted.map((line) => line.trim());
  const ownLines = lines.map((line) => line.text.trim());
  const budget = { steps: maxSteps };
  const found: TextSpan[] = [];
  for (let at = 0; at + wanted.length <= lines.length && found.length < 2; at += 1) {
    if (isLike(wantedLines, (index) => ownLines[at + index] ?? '', budget)) {
      found.push(blockSpan(source, at, wanted.length, pattern));
    }
    // Where not every place was looked at, nobody knows whether there are two.
    if (budget.steps < 0) return [];
  }
  return found.length === 1 ? found : [];
}

function isLike(wanted: readonly string[], lineAt: (index: number) => string, budget: ComparisonBudget): boolean {
  let sum = 0;
  let count = 0;
  for (const [index, other] of wanted.entries()) {
    const own = lineAt(index);
    if ((own === '') !== (other === '')) return false;
    if (other === '') continue;
    const ratio = similarityRatio(own, other, { atLeast: eachLine, budget });
    if (ratio < eachLine) return false;
    sum += ratio;
    count += 1;
  }
  return count > 0 && sum / count >= allLines;
}

function anchor(line: string | undefined): string {
  return toAscii(line ?? '').trim();
}
