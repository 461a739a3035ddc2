import type { ParseOptions, ToolCallParser } from '../tool-call-parser.ts';
import { chunkings, seededNumbers } from './chunkings.ts';
import { type ContractCase, demand, show } from './contract-case.ts';
import { requireExpected, requireSame, requireSound } from './result-checks.ts';
import { countingIds, streamResult } from './stream-run.ts';
import type { ToolCallVector } from './tool-call-vector.ts';

/** A vector whose expectation the parser does not keep, and why that is right. */
export interface DisputedVector {
  readonly name: string;
  readonly reason: string;
}

/** The cases of one vector: whole (I1 to I4), and every chunking of S2 in both commit modes (S1, S6, S7, I5 by S1). */
export function vectorCases(
  vector: ToolCallVector,
  disputed: DisputedVector | undefined,
  seed: number,
): readonly ContractCase<ToolCallParser>[] {
  const options: ParseOptions = { tools: vector.tools };
  const expectation: ContractCase<ToolCallParser> = {
    name: `${vector.name}: read whole${disputed === undefined ? '' : ` (disputed: ${disputed.reason})`}`,
    async run(open) {
      const result = (await open()).parse(vector.input, options);
      requireSound(result, vector.input);
      if (disputed === undefined) requireExpected(result, vector);
      else requireStillDisputed(() => requireExpected(result, vector), disputed);
    },
  };
  const streamed = (['call', 'eager'] as const).map((commit): ContractCase<ToolCallParser> => {
    return {
      name: `${vector.name}: the same in every chunking, commit mode ${commit}`,
      async run(open) {
        const parser = await open();
        const whole = parser.parse(vector.input, { ...options, idFactory: countingIds() });
        for (const pieces of chunkings(vector.input, seededNumbers(seed))) {
          requireSame(streamResult(parser, pieces, commit, options), whole, () => `Fed ${show(pieces)}`);
        }
      },
    };
  });
  return [expectation, ...streamed];
}

/** A dispute that is settled must leave the list. */
function requireStillDisputed(check: () => void, disputed: DisputedVector): void {
  let isKept = true;
  try {
    check();
  } catch {
    // The expected outcome of a disputed vector.
    isKept = false;
  }
  demand(!isKept, () => `The vector ${disputed.name} holds now: take it off the list of disputed ones`);
}
