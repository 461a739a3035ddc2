import { skipWhiteSpace } from './white-space.ts';

/** Small pieces are gathered up to this length before they are listed. */
const blockLength = 4096;

/**
 * The part of the streamed text that is still in use: the current piece, and what lies before it back to the point
 * where a call may have begun. Positions are offsets into the whole text. What is kept is never joined per delta, only
 * where a slice reaches back over it.
 */
export class TextWindow {
  /** The piece that is being read. */
  source = '';
  /** How far `source` is read. */
  index = 0;
  /** Position of `source[0]` in the whole text. */
  base = 0;
  #keptFrom = -1;
  /** The text between `#keptFrom` and `base`: whole blocks, then what is gathered for the next one. */
  #blocks: string[] = [];
  #gathered = '';

  /** How far the whole text is read. */
  get position(): number {
    return this.base + this.index;
  }

  /** Length of the whole text so far. */
  get end(): number {
    return this.base + this.source.length;
  }

  /** Whether `source` is read to its end. */
  get isRead(): boolean {
    return this.index === this.source.length;
  }

  /** Goes to the next character of `source` that is no white space. */
  skipWhiteSpace(): void {
    this.index = skipWhiteSpace(this.source, this.index);
  }

  /** Takes the next delta in. What of `source` was not read yet (a token in the making) stays in front of it. */
  append(delta: string): void {
    const { source, index, isRead } = this;
    if (this.#keptFrom >= 0) {
      const from = this.#keptFrom > this.base ? this.#keptFrom - this.base : 0;
      this.#keep(from === 0 && isRead ? source : source.slice(from, index));
    }
    this.base += index;
    this.source = isRead ? delta : source.slice(index) + delta;
    this.index = 0;
  }

  /** From now on the text behind `position` can be sliced and gone back to. */
  keepFrom(position: number): void {
    this.release();
    this.#keptFrom = position;
  }

  /** Ends what {@link keepFrom} began. */
  release(): void {
    this.#keptFrom = -1;
    this.#gathered = '';
    if (this.#blocks.length > 0) this.#blocks = [];
  }

  /** A stretch of the text. It may reach back to where {@link keepFrom} began; the cost grows with its distance to the end. */
  slice(from: number, to: number): string {
    if (from >= this.base) return this.source.slice(from - this.base, to - this.base);
    let start = this.base - this.#gathered.length;
    let block = this.#blocks.length;
    while (start > from && block > 0) {
      block -= 1;
      start -= this.#blocks[block]?.length ?? 0;
    }
    const blocks = block === this.#blocks.length ? '' : this.#blocks.slice(block).join('');
    const recent = to > this.base ? this.#gathered + this.source.slice(0, to - this.base) : this.#gathered;
    return (blocks + recent).slice(from - start, to - start);
  }

  /** Goes back to `position` and releases what was kept. */
  rewind(position: number): void {
    if (position < this.base) {
      this.source = this.slice(position, this.end);
      this.base = position;
    }
    this.index = position - this.base;
    this.release();
  }

  #keep(piece: string): void {
    this.#gathered += piece;
    if (this.#gathered.length < blockLength) return;
    this.#blocks.push(this.#gathered);
    this.#gathered = '';
  }
}
