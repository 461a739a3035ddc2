import type { LineKey } from './line-blocks.ts';
import type { TextLine } from './text-edit.ts';

/** Work that planning a patch may still take, in steps of about ten nanoseconds. */
export interface PatchBudget {
  /** Below zero once spent. */
  steps: number;
}

/** One way of comparing lines of a file with lines of a patch. */
export interface LineComparison {
  readonly fileKey: LineKey;
  readonly patchKey: LineKey;
}

/** Lines as numbers, the same where the lines count as the same: these are compared far faster than texts. */
export interface NumberedLines {
  /** One for each line of the file; `-1` for those that the patch has not. */
  readonly numbers: Int32Array;
  /** The number of a line of the patch; `undefined` where the file has none such. */
  readonly numberOf: (patchLine: string) => number | undefined;
}

const stepsPerLine = 20;
const stepsPerCharacter = 0.5;

/** Numbers the lines of a file by those of a patch. */
export function numberLines(
  lines: readonly TextLine[],
  patchLines: readonly string[],
  { fileKey, patchKey }: LineComparison,
  budget: PatchBudget,
): NumberedLines {
  budget.steps -= lines.length * stepsPerLine + (lines.at(-1)?.end ?? 0) * stepsPerCharacter;
  const known = new Map<string, number>();
  for (const line of patchLines) {
    const key = patchKey(line);
    if (!known.has(key)) known.set(key, known.size);
  }
  const found = new Set<number>();
  const numbers = new Int32Array(lines.length).fill(-1);
  for (const [index, line] of lines.entries()) {
    const number = known.get(fileKey(line.text));
    if (number === undefined) continue;
    numbers[index] = number;
    found.add(number);
  }
  return {
    numbers,
    numberOf(patchLine) {
      const number = known.get(patchKey(patchLine));
      return number === undefined || !found.has(number) ? undefined : number;
    },
  };
}
