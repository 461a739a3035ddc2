import type { TextWindow } from '../text/text-window.ts';
import type { ParseErrorKind, StreamOptions } from '../tool-call-parser.ts';

/** Largest call, in UTF-16 units of its body. */
export const maximumCallLength: number = 16 * 1024 * 1024;

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

/** Why a text is no call. */
export interface Fault {
  readonly kind: ParseErrorKind;
  /** Position of the first character that cannot stand where it stands; the length of the text where it is too short. */
  readonly at: number;
  /** What was wrong, without the place. */
  readonly message: string;
  /** The character there, where it is what is wrong. */
  readonly found?: string | undefined;
}

/**
 * What a grammar says of the answer that it reads. Everything before `givenTo` was said to be content, markup or calls;
 * what lies behind it is undecided and is kept.
 */
export interface Answer {
  readonly window: TextWindow;
  readonly options: StreamOptions;
  /** How far the text was given away. */
  readonly givenTo: number;
  /** Whether nothing but white space was given since the last call. */
  readonly isAfterCall: boolean;
  /** How many calls were completed. */
  readonly callCount: number;
  /** The text up to `to` is content. */
  text(to: number): void;
  /** The text up to `to` is markup that says nothing. */
  skip(to: number): void;
  /** A call may have begun at `start`. Where the text so far ends within it, eager mode shows `progress`. */
  open(start: number, progress?: CallProgress): void;
  /** The text up to the window's position is a call; what led to it is markup. */
  call(call: CompletedCall): void;
  /** What {@link open} announced is no call. The text up to `resumeAt` is content, and reading goes on there. */
  fail(fault: Fault, resumeAt: number): void;
}

/** A fault where the window stands. Something else was expected where a character is there. */
export function faultAt(window: TextWindow, kind: ParseErrorKind, message: string): Fault {
  const { source, index, position } = window;
  // The first code point, not the first half of one.
  const [found] = /json|structure/.test(kind) ? source.slice(index, index + 2) : '';
  return { kind, at: position, message, found };
}

/** The fault of a text that ended where something else had to follow. */
export function cutAt(window: TextWindow, expected: string): Fault {
  window.index = window.source.length;
  return { kind: 'truncated', at: window.position, message: `the text ended, expected ${expected}` };
}
