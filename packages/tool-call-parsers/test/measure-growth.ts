import type { CommitMode, ToolCallParser, ToolSchema } from '@talaria/tool-call-parsers';
import { cutEvery } from '../src/contract/chunkings.ts';
import { countStringWork } from './string-work.ts';
import type { TextFamily } from './text-families.ts';

/** Two pairs of lengths: where the first looks odd (a limit lies between them), the second tells. */
const lengths = [
  [1024, 8 * 1024],
  [8 * 1024, 32 * 1024],
] as const;

/** Most characters that may be looked at for each character of the text. */
const maximumCost = 200;

/** How a text is fed. */
export interface Feeding {
  readonly deltaLength: number;
  readonly commit: CommitMode;
  readonly tools?: readonly ToolSchema[] | undefined;
}

/** Fed whole. */
export const whole: number = Number.MAX_SAFE_INTEGER;

/** Whether reading grows with the length of the text and no faster, and what it cost, by length. */
export interface Growth {
  readonly isLinear: boolean;
  readonly work: Readonly<Record<number, number>>;
}

/** Reads short and long texts of the family. */
export function measureGrowth(parser: ToolCallParser, family: TextFamily, feeding: Feeding): Growth {
  const work: Record<number, number> = {};
  const workAt = (length: number): number => {
    work[length] ??= workOf(parser, family, feeding, length);
    return work[length];
  };
  // Growth with the square would give 64 times the work for 8 times the length, and 16 for 4.
  const isLinear = lengths.some(([small, large]) => {
    return workAt(large) / workAt(small) < (1.5 * large) / small && workAt(large) / large < maximumCost;
  });
  return { isLinear, work };
}

function workOf(
  parser: ToolCallParser,
  family: TextFamily,
  { deltaLength, ...options }: Feeding,
  length: number,
): number {
  const { lead, unit } = family;
  const text = lead + unit.repeat(Math.ceil(Math.max(length - lead.length, 0) / unit.length));
  const pieces = cutEvery(text, deltaLength);
  return countStringWork(() => {
    const stream = parser.stream({ ...options, idFactory: () => 'id' });
    for (const piece of pieces) stream.feed(piece);
    stream.finish();
  });
}
