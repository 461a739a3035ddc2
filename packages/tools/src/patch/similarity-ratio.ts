/** Work that comparing texts may still take, in characters and pairs of characters that are looked at. */
export interface ComparisonBudget {
  /** Below zero once spent. */
  steps: number;
}

/** What a {@link similarityRatio} must reach, and what it may take. */
export interface ComparisonLimits {
  /** Smallest ratio of interest, 0 to 1. */
  readonly atLeast: number;
  /** Shared by all comparisons of one search. */
  readonly budget: ComparisonBudget;
}

/**
 * Ratcliff–Obershelp similarity of two texts, 0 to 1: twice the characters in common blocks over all characters. Gives 0
 * at once where not even {@link similarityBound} reaches `atLeast`, and where the budget is spent: texts whose common
 * blocks are short take the cube of their length.
 */
export function similarityRatio(left: string, right: string, { atLeast, budget }: ComparisonLimits): number {
  const total = left.length + right.length;
  if (total === 0 || left === right) return 1;
  if ((2 * Math.min(left.length, right.length)) / total < atLeast) return 0;
  budget.steps -= total;
  if (budget.steps < 0 || similarityBound(left, right) < atLeast) return 0;
  const matched = matchedLength(left, right, budget);
  return budget.steps < 0 ? 0 : (2 * matched) / total;
}

/** What the similarity is at most: as if every character that both have stood in a common block. */
export function similarityBound(left: string, right: string): number {
  const total = left.length + right.length;
  if (total === 0) return 1;
  const counts = new Map<number, number>();
  for (let index = 0; index < left.length; index += 1) {
    const code = left.charCodeAt(index);
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  let common = 0;
  for (let index = 0; index < right.length; index += 1) {
    const code = right.charCodeAt(index);
    const count = counts.get(code) ?? 0;
    if (count === 0) continue;
    counts.set(code, count - 1);
    common += 1;
  }
  return (2 * common) / total;
}

/** Where each character code stands in a text, in order. */
type Positions = ReadonlyMap<number, readonly number[]>;

/** Two stretches that are compared: `[leftStart, leftEnd)` with `[rightStart, rightEnd)`. */
interface Stretch {
  readonly leftStart: number;
  readonly leftEnd: number;
  readonly rightStart: number;
  readonly rightEnd: number;
}

interface CommonBlock {
  readonly left: number;
  readonly right: number;
  readonly length: number;
}

/** Length of the longest common block, and of those to its left and right, and so on. Of no meaning once the budget is spent. */
function matchedLength(left: string, right: string, budget: ComparisonBudget): number {
  const positions = positionsOf(right);
  const rows: Rows = [new Int32Array(right.length + 1), new Int32Array(right.length + 1)];
  let matched = 0;
  const pending: Stretch[] = [{ leftStart: 0, leftEnd: left.length, rightStart: 0, rightEnd: right.length }];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const block = longestBlock(left, positions, part, { rows, budget });
    if (budget.steps < 0) return 0;
    if (block.length === 0) continue;
    matched += block.length;
    pending.push({ ...part, leftEnd: block.left, rightEnd: block.right });
    pending.push({ ...part, leftStart: block.left + block.length, rightStart: block.right + block.length });
  }
  return matched;
}

function positionsOf(text: string): Positions {
  const positions = new Map<number, number[]>();
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const known = positions.get(code);
    if (known === undefined) positions.set(code, [index]);
    else known.push(index);
  }
  return positions;
}

/** Lengths of the blocks that end at each position of the right text, for this and the previous character. */
type Rows = readonly [Int32Array, Int32Array];

const nowhere: readonly number[] = [];

interface Workspace {
  readonly rows: Rows;
  readonly budget: ComparisonBudget;
}

function longestBlock(left: string, positions: Positions, part: Stretch, { rows, budget }: Workspace): CommonBlock {
  const { leftStart, leftEnd, rightStart, rightEnd } = part;
  let best: CommonBlock = { left: leftStart, right: rightStart, length: 0 };
  let [previous, current] = rows;
  let previousPlaces = nowhere;
  for (let index = leftStart; index < leftEnd && budget.steps >= 0; index += 1) {
    const places = positions.get(left.charCodeAt(index)) ?? nowhere;
    // Those outside the stretch are passed over too, and all of them set back later.
    budget.steps -= 1 + places.length;
    for (const place of places) {
      if (place < rightStart) continue;
      if (place >= rightEnd) break;
      const length = (previous[place] ?? 0) + 1;
      current[place + 1] = length;
      if (length > best.length) best = { left: index - length + 1, right: place - length + 1, length };
    }
    clear(previous, previousPlaces);
    previousPlaces = places;
    [previous, current] = [current, previous];
  }
  clear(previous, previousPlaces);
  return best;
}

/** Only what was written is set back: the rows are as long as the text, the blocks are few. */
function clear(row: Int32Array, places: readonly number[]): void {
  for (const place of places) row[place + 1] = 0;
}
