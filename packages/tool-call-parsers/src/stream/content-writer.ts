import { contentEnd, skipWhiteSpace } from '../text/white-space.ts';

/**
 * Decides which of the text outside calls is content: white space next to calls is not, and what lies between calls is
 * joined by line feeds. It holds back white space that may still vanish, nothing else.
 */
export class ContentWriter {
  #output = '';
  /** White space that content, a call or nothing follows. */
  #space: string[] = [];
  #hasContent = false;
  #hasCalls = false;
  /** Nothing but white space was read since the last call. */
  #isAfterCall = false;

  /** Text from `from` to `to` that is part of no call. */
  write(source: string, from: number, to: number): void {
    const start = this.#isAfterCall ? Math.min(skipWhiteSpace(source, from), to) : from;
    const end = contentEnd(source, start, to);
    if (end > start) {
      if (this.#isAfterCall && this.#hasContent) this.#output += '\n';
      this.#output += this.#space.join('') + source.slice(start, end);
      this.#space = [];
      this.#hasContent = true;
      this.#isAfterCall = false;
    }
    if (to > end) this.#space.push(source.slice(end, to));
  }

  /** A call was found behind what was written. */
  endCall(): void {
    this.#space = [];
    this.#hasCalls = true;
    this.#isAfterCall = true;
  }

  /** The text is over. */
  finish(): void {
    if (!this.#hasCalls) this.#output += this.#space.join('');
  }

  /** The content that is certain and was not taken yet. */
  take(): string {
    const text = this.#output;
    this.#output = '';
    return text;
  }
}
