import { truncateText } from '@talaria/core';
import { similarityBound, similarityRatio } from './similarity-ratio.ts';
import { linesOf } from './text-edit.ts';

const maxRegions = 3;
const contextLines = 2;
const minSimilarity = 0.3;
/** Lines that are compared at most; of a larger file only the start. */
const maxLines = 20_000;
const maxLineChars = 300;
/** Lines that are compared in full: the most promising. */
const maxCompared = 100;
/** Steps of all these comparisons: what is left when they are spent counts as not similar. */
const maxSteps = 10_000_000;

/** Where the text that was not found may have been meant: up to three numbered regions, or `undefined`. */
export function describeSimilarRegions(text: string, wanted: string): string | undefined {
  const first = wanted.split('\n').find((line) => line.trim() !== '');
  if (first === undefined) return undefined;
  const target = first.trim().slice(0, maxLineChars);
  const lines = linesOf(text)
    .slice(0, maxLines)
    .map((line) => line.text);
  const limits = { atLeast: minSimilarity, budget: { steps: maxSteps } };
  const ranked = lines
    .map((line, index) => ({ index, line: line.trim().slice(0, maxLineChars) }))
    .map(({ index, line }) => ({ index, line, bound: similarityBound(line, target) }))
    .sort((left, right) => right.bound - left.bound)
    .slice(0, maxCompared)
    .map(({ index, line }) => ({ index, ratio: similarityRatio(line, target, limits) }))
    .filter(({ ratio }) => ratio > minSimilarity)
    .sort((left, right) => right.ratio - left.ratio);
  const chosen: number[] = [];
  for (const { index } of ranked) {
    if (chosen.length === maxRegions) break;
    if (chosen.every((other) => Math.abs(other - index) > contextLines)) chosen.push(index);
  }
  if (chosen.length === 0) return undefined;
  const height = Math.min(wanted.split('\n').length, 10);
  return `Similar text stands here:\n${chosen.map((index) => showRegion(lines, index, height)).join('\n---\n')}`;
}

function showRegion(lines: readonly string[], index: number, height: number): string {
  const start = Math.max(0, index - contextLines);
  return lines
    .slice(start, index + height + contextLines)
    .map((line, offset) => `${start + offset + 1}|${truncateText(line, maxLineChars)}`)
    .join('\n');
}
