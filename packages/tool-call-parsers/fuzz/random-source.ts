import { seededNumbers } from '../src/contract/chunkings.ts';

/** Random choices that one seed fixes. */
export interface RandomSource {
  /** From 0 to 1. */
  number(): number;
  /** A whole number below `limit`. */
  below(limit: number): number;
  /** One of the items. There must be one. */
  pick<Item extends string | object>(items: readonly Item[]): Item;
  /** True so often, from 0 to 1. */
  chance(share: number): boolean;
}

/** A source of choices for this seed. */
export function createRandomSource(seed: number): RandomSource {
  const number = seededNumbers(seed);
  const below = (limit: number): number => Math.floor(number() * limit);
  return {
    number,
    below,
    chance: (share) => number() < share,
    pick(items) {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError('There is nothing to pick from');
      return item;
    },
  };
}
