import type { Reading } from '../text/reading.ts';
import type { TextWindow } from '../text/text-window.ts';
import type { ParseErrorKind, StreamOptions } from '../tool-call-parser.ts';

/** A call that was read to its end. */
export interface CompletedCall {
  readonly name: string;
  /** Text of one JSON object. */
  readonly arguments: string;
  /** The id that the model gave it. */
  readonly id?: string | undefined;
}

/** What eager mode may say of a call before it is complete. */
export interface CallProgress {
  /** The call's name as soon as it is known. */
  readonly name: string | undefined;
  /** The id that the model gave it; known when the name is. */
  readonly id?: string | undefined;
  /** Whether something was repeated, so that what was given so far may not be what counts. */
  readonly isRepeated?: boolean | undefined;
  /** The part of the final arguments text that is known now and was not given yet. */
  drainArguments(window: TextWindow): string;
}

/**
 * What a grammar says of the answer that it reads. Everything before `window.keptFrom` was said to be content, markup or
 * calls; what lies behind it is undecided.
 */
export interface Answer {
  readonly window: TextWindow;
  readonly options: StreamOptions;
  /** Whether nothing but white space was given since the last call. */
  isAfterCall: boolean;
  /** The text up to `to` is content. */
  text(to: number): void;
  /** The text up to `to` is markup that says nothing. */
  skip(to: number): void;
  /** The text that follows is a part of its own: a line feed joins it, and white space before it is no content. */
  join(): void;
  /** A call may have begun at `start`. Where the text so far ends within it, eager mode shows `progress`. */
  open(start: number, progress?: CallProgress): void;
  /** The text up to the window's position is a call; what led to it is markup. */
  call(call: CompletedCall): void;
  /**
   * What {@link open} announced is no call, because of what stands where the window stands (or, for `truncated`, since
   * the text ended). For `bad-json`, `bad-structure` and `truncated`, `reason` says what was expected, else what is wrong.
   * The text up to `resumeAt` is content, and reading goes on there.
   */
  fail(kind: ParseErrorKind, reason: string, resumeAt: number): void;
}

/** Reads a whole answer, and says what of it is text and what is calls. Returns at the end of the text only. */
export type AnswerReading = (answer: Answer) => Reading<void>;
