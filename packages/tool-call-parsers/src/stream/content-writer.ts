import { contentEnd, skipWhiteSpace } from '../text/white-space.ts';

/**
 * Decides which of the text outside calls is content: white space next to calls is not, and what lies between calls is
 * joined by line feeds. It holds back white space that may still vanish, nothing else.
 */
export interface ContentWriter {
  /** Nothing but white space was written since the last call. */
  readonly isAfterCall: boolean;
  /** Text from `from` to `to` that is part of no call. */
  write(source: string, from: number, to: number): void;
  /** A call was found behind what was written. */
  endCall(): void;
  /** The text is over. */
  finish(): void;
  /** The content that is certain and was not taken yet. */
  take(): string;
}

/** A writer of one stream's content. */
export function createContentWriter(): ContentWriter {
  let output = '';
  /** White space that content, a call or nothing follows. */
  let space: string[] = [];
  let hasContent = false;
  let hasCalls = false;
  let isAfterCall = false;

  return {
    get isAfterCall() {
      return isAfterCall;
    },
    write(source, from, to) {
      const start = isAfterCall ? Math.min(skipWhiteSpace(source, from), to) : from;
      const end = contentEnd(source, start, to);
      if (end > start) {
        if (isAfterCall && hasContent) output += '\n';
        output += space.join('') + source.slice(start, end);
        space = [];
        hasContent = true;
        isAfterCall = false;
      }
      if (to > end) space.push(source.slice(end, to));
    },
    endCall() {
      space = [];
      hasCalls = true;
      isAfterCall = true;
    },
    finish() {
      if (!hasCalls) output += space.join('');
    },
    take() {
      const text = output;
      output = '';
      return text;
    },
  };
}
