import { contentEnd, skipWhiteSpace } from '../text/white-space.ts';

/**
 * Decides which of the text outside calls is content: white space next to calls is not, nor are end-of-turn tokens at
 * the very end, and what lies between calls is joined by line feeds. It holds back what may still vanish, nothing else.
 */
export class ContentWriter {
  #output = '';
  /** White space that content or nothing follows. */
  #space: string[] = [];
  /** An end-of-turn token and what follows it, as long as that is white space and more such tokens. */
  #turnEnd: string[] = [];
  /** How many pieces of `#turnEnd` go up to its last token. */
  #turnEndSolid = 0;
  #hasContent = false;
  #hasCalls = false;
  /** Nothing but white space was read since the last call. */
  #isAfterCall = false;

  /** Text from `from` to `to` that is part of no call and no token. */
  write(source: string, from: number, to: number): void {
    const isGap = this.#isAfterCall && this.#turnEnd.length === 0;
    const start = isGap ? Math.min(skipWhiteSpace(source, from), to) : from;
    const end = contentEnd(source, start, to);
    if (end > start) {
      this.#release();
      this.#emit(source.slice(start, end));
    }
    if (to > end) this.#hold(source.slice(end, to));
  }

  /** An end-of-turn token: content only if something follows. */
  writeEndOfTurn(token: string): void {
    this.#turnEnd.push(token);
    this.#turnEndSolid = this.#turnEnd.length;
  }

  /** A start marker was found: end-of-turn tokens before it were not the end. White space stays held. */
  beginAttempt(): void {
    if (this.#turnEnd.length === 0) return;
    const space = this.#turnEnd.slice(this.#turnEndSolid);
    this.#turnEnd.length = this.#turnEndSolid;
    this.#release();
    this.#space = space;
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
    this.#space = [];
    this.#turnEnd = [];
  }

  /** The content that is certain and was not taken yet. */
  take(): string {
    const text = this.#output;
    this.#output = '';
    return text;
  }

  #hold(space: string): void {
    if (this.#turnEnd.length > 0) this.#turnEnd.push(space);
    else if (!this.#isAfterCall) this.#space.push(space);
  }

  #release(): void {
    if (this.#space.length > 0 || this.#turnEnd.length > 0) {
      const held = this.#space.join('') + this.#turnEnd.join('');
      this.#space = [];
      this.#turnEnd = [];
      this.#turnEndSolid = 0;
      this.#emit(held);
    }
  }

  #emit(text: string): void {
    if (this.#isAfterCall && this.#hasContent) this.#output += '\n';
    this.#isAfterCall = false;
    this.#hasContent = true;
    this.#output += text;
  }
}
