/**
 * Ratcliff–Obershelp similarity of two texts, 0 to 1: twice the characters in common blocks over all characters. Gives 0
 * at once where not even the upper bound by common characters reaches `atLeast`.
 */
export function similarityRatio(left: string, right: string, atLeast = 0): number {
  const total = left.length + right.length;
  if (total === 0 || left === right) return 1;
  if ((2 * Math.min(left.length, right.length)) / total < atLeast) return 0;
  if ((2 * commonCharacters(left, right)) / total < atLeast) return 0;
  return (2 * matchedLength(left, right)) / total;
}

function commonCharacters(left: string, right: string): number {
  const counts = new Map<string, number>();
  for (const character of left) counts.set(character, (counts.get(character) ?? 0) + 1);
  let common = 0;
  for (const character of right) {
    const count = counts.get(character) ?? 0;
    if (count === 0) continue;
    counts.set(character, count - 1);
    common += character.length;
  }
  return common;
}

/** Length of the longest common block, and of those to its left and right, and so on. */
function matchedLength(left: string, right: string): number {
  const positions = new Map<string, number[]>();
  for (let index = 0; index < right.length; index += 1) {
    const character = right.charAt(index);
    const known = positions.get(character);
    if (known === undefined) positions.set(character, [index]);
    else known.push(index);
  }
  let matched = 0;
  const pending: [number, number, number, number][] = [[0, left.length, 0, right.length]];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const [leftStart, leftEnd, rightStart, rightEnd] = part;
    const block = longestBlock(left, positions, part);
    if (block.length === 0) continue;
    matched += block.length;
    pending.push([leftStart, block.left, rightStart, block.right]);
    pending.push([block.left + block.length, leftEnd, block.right + block.length, rightEnd]);
  }
  return matched;
}

interface CommonBlock {
  readonly left: number;
  readonly right: number;
  readonly length: number;
}

function longestBlock(
  left: string,
  positions: ReadonlyMap<string, readonly number[]>,
  [leftStart, leftEnd, rightStart, rightEnd]: readonly [number, number, number, number],
): CommonBlock {
  let best: CommonBlock = { left: leftStart, right: rightStart, length: 0 };
  let lengths = new Map<number, number>();
  for (let index = leftStart; index < leftEnd; index += 1) {
    const next = new Map<number, number>();
    for (const position of positions.get(left.charAt(index)) ?? []) {
      if (position < rightStart) continue;
      if (position >= rightEnd) break;
      const length = (lengths.get(position - 1) ?? 0) + 1;
      next.set(position, length);
      if (length > best.length) best = { left: index - length + 1, right: position - length + 1, length };
    }
    lengths = next;
  }
  return best;
}
