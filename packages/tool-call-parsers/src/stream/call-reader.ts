import type { TextWindow } from '../text/text-window.ts';
import type { ParseErrorKind } from '../tool-call-parser.ts';

/** Largest call, in UTF-16 units of its body. */
export const maximumCallLength: number = 16 * 1024 * 1024;

/** A call that was read to its end. */
export interface CompletedCall {
  readonly kind: 'call';
  readonly name: string;
  /** Text of one JSON object. */
  readonly arguments: string;
  /** Position behind the call's text. */
  readonly end: number;
}

/** An attempt that led to no call. */
export interface Fault {
  readonly kind: 'fault';
  readonly error: ParseErrorKind;
  /** Position of the first character that cannot stand where it stands; the length of the text where it is too short. */
  readonly at: number;
  /** Where the search for the next call begins. What lies before it is text. */
  readonly resumeAt: number;
  /** What was wrong, without the place. */
  readonly message: string;
  /** The character there, where it is what is wrong. */
  readonly found?: string | undefined;
}

/** What a reader knows after it has read as far as it could. */
export type ReadOutcome = 'more' | CompletedCall | Fault;

/** What eager mode may say of a call before it is complete. */
export interface CallProgress {
  /** The call's name as soon as it is known. */
  readonly name: string | undefined;
  /** Whether something was repeated, so that what was given so far may not be what counts. */
  readonly isRepeated: boolean;
  /** The part of the final arguments text that is known now and was not given yet. */
  drainArguments(window: TextWindow): string;
}

/** The grammar of one family of formats: reads one call from behind its start marker on, piece by piece. */
export interface CallReader {
  /** Undefined as long as nothing can be told. */
  readonly progress: CallProgress | undefined;
  /** Reads on. After `more` the window stands where reading goes on: at its end, or at a token that is not whole yet. */
  read(window: TextWindow): ReadOutcome;
  /** The text ends where the window stands, or with the part of a token that follows there. */
  finish(window: TextWindow): CompletedCall | Fault;
}

/** A fault where the window stands. Something else was expected where a character is there. */
export function faultAt(window: TextWindow, error: ParseErrorKind, message: string, resumeAt: number): Fault {
  // The first code point, not the first half of one.
  const [found] = /json|structure/.test(error) ? window.source.slice(window.index, window.index + 2) : '';
  return { kind: 'fault', error, at: window.position, message, resumeAt, found };
}
