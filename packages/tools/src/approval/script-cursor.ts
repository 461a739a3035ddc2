/** A script and how far it was read. */
export class ScriptCursor {
  readonly script: string;
  at = 0;

  constructor(script: string) {
    this.script = script;
  }

  get isAtEnd(): boolean {
    return this.at >= this.script.length;
  }

  /** The character here, or `distance` further on; `''` behind the end. */
  peek(distance = 0): string {
    return this.script[this.at + distance] ?? '';
  }

  startsWith(text: string): boolean {
    return this.script.startsWith(text, this.at);
  }

  /** At most `length` characters from `distance` on, without moving. */
  lookAhead(length: number, distance = 0): string {
    return this.script.slice(this.at + distance, this.at + distance + length);
  }

  /** The text up to the next `end`, which lies behind `start` characters; goes behind that end, or to the end of the script. */
  readUpTo(end: string, start = 0): string {
    const from = this.at + start;
    const found = this.script.indexOf(end, from);
    this.at = found === -1 ? this.script.length : found + end.length;
    return this.script.slice(from, found === -1 ? undefined : found);
  }

  skipBlanks(): void {
    while (this.peek() === ' ' || this.peek() === '\t') this.at += 1;
  }

  /** Goes to the end of the line, and stands on its break. */
  skipComment(): void {
    const end = this.script.indexOf('\n', this.at);
    this.at = end === -1 ? this.script.length : end;
  }
}
