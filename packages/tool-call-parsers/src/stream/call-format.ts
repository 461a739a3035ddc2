import type { ToolSchema } from '../tool-call-parser.ts';
import type { AnswerReading } from './answer.ts';

/** A call to be written, its arguments as text of one JSON object. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: string;
  /** The id that the call has already, where it has one. */
  readonly id?: string | undefined;
}

/** All that sets one text format apart from the others. */
export interface CallFormat {
  readonly name: string;
  /** Other names under which users know the format. */
  readonly aliases?: readonly string[] | undefined;
  /** The texts with which a call begins. Empty where a call begins like any other text. */
  readonly startMarkers: readonly string[];
  readonly read: AnswerReading;
  /** What stands between content and the first call. */
  readonly separator: string;
  /** The calls as a model of this family writes them. */
  readonly write: (calls: readonly WrittenCall[], tools?: readonly ToolSchema[]) => string;
  /** The content as such a model writes it, where it wraps it. */
  readonly writeContent?: ((content: string, hasCalls: boolean) => string) | undefined;
  /** Whether end-of-turn tokens at the end of the text are left to {@link read}. */
  readonly keepsTurnEnd?: boolean | undefined;
  /** Characters one of which ends every call. The fewer there are in arguments, the faster small deltas are read. */
  readonly callEnd?: RegExp | undefined;
  /** Gives an id the form that the models of this family demand. The same id becomes the same each time. */
  readonly shapeId?: ((id: string) => string) | undefined;
}
