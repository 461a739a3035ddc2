import type { ToolCallParser } from '../tool-call-parser.ts';
import type { ContractCase } from './contract-case.ts';
import { flowCases } from './flow-cases.ts';
import { holdCases } from './hold-cases.ts';
import { renderCases } from './render-cases.ts';
import { textCases } from './text-cases.ts';
import type { ToolCallVector } from './tool-call-vector.ts';
import { type DisputedVector, vectorCases } from './vector-cases.ts';

/** What the contract is checked with. */
export interface ToolCallParserContractOptions {
  /** Texts of the format and what they say; see `readToolCallVectors`. */
  readonly vectors: readonly ToolCallVector[];
  /** Vectors that the parser does not keep, on purpose. One that it keeps after all fails. @default none */
  readonly disputed?: readonly DisputedVector[] | undefined;
  /** Of the random chunkings and texts. @default 1 */
  readonly seed?: number | undefined;
}

/**
 * The promises that every parser keeps, as cases for any test runner. What they cannot see is the time that a parser
 * takes: measure that it grows with the length of the text and no faster.
 */
export function toolCallParserContract(
  options: ToolCallParserContractOptions,
): readonly ContractCase<ToolCallParser>[] {
  const { vectors, disputed = [], seed = 1 } = options;
  const disputes = new Map(disputed.map((entry) => [entry.name, entry]));
  return [
    ...vectors.flatMap((vector) => vectorCases(vector, disputes.get(vector.name), seed)),
    ...textCases(vectors, seed),
    ...flowCases,
    ...holdCases,
    ...renderCases(vectors),
  ];
}
