/**
 * The part of the streamed text that is still in use: the current piece, and earlier pieces back to the point where a
 * call may have begun. Positions are offsets into the whole text. Pieces are joined only where a slice reaches back
 * over them, never for each delta.
 */
export class TextWindow {
  /** The piece that is being read. */
  source = '';
  /** How far `source` is read. */
  index = 0;
  /** Position of `source[0]`. */
  #base = 0;
  #keptFrom = -1;
  /** Text between `#keptFrom` and `#base`, in order. */
  #kept: string[] = [];

  /** Position of `source[0]` in the whole text. */
  get base(): number {
    return this.#base;
  }

  /** How far the whole text is read. */
  get position(): number {
    return this.#base + this.index;
  }

  set position(position: number) {
    this.index = position - this.#base;
  }

  /** Length of the whole text so far. */
  get end(): number {
    return this.#base + this.source.length;
  }

  /** Takes the next delta in. What of `source` was not read yet (a token in the making) stays in front of it. */
  append(delta: string): void {
    if (this.#keptFrom >= 0) this.#keep();
    this.#base += this.index;
    this.source = this.index === this.source.length ? delta : this.source.slice(this.index) + delta;
    this.index = 0;
  }

  /** From now on the text behind `position` can be sliced and gone back to. */
  keepFrom(position: number): void {
    this.#keptFrom = position;
    this.#kept = [];
  }

  /** Ends what {@link keepFrom} began. */
  release(): void {
    this.#keptFrom = -1;
    this.#kept = [];
  }

  /** A stretch of the text. It may reach back to where {@link keepFrom} began; costs no more than its distance to the end. */
  slice(from: number, to: number): string {
    if (from >= this.#base) return this.source.slice(from - this.#base, to - this.#base);
    let start = this.#base;
    let piece = this.#kept.length;
    while (start > from && piece > 0) {
      piece -= 1;
      start -= this.#kept[piece]?.length ?? 0;
    }
    const earlier = this.#kept.slice(piece).join('');
    const text = to > this.#base ? earlier + this.source.slice(0, to - this.#base) : earlier;
    return text.slice(from - start, to - start);
  }

  /** Goes back to `position` and releases what was kept. */
  rewind(position: number): void {
    if (position < this.#base) {
      this.source = this.slice(position, this.end);
      this.#base = position;
    }
    this.position = position;
    this.release();
  }

  /** Forgets what stands behind `position`, and stands there. */
  cut(position: number): void {
    while (position < this.#base) {
      this.source = this.#kept.pop() ?? '';
      this.#base -= this.source.length;
    }
    this.source = this.source.slice(0, position - this.#base);
    this.index = this.source.length;
  }

  #keep(): void {
    const from = Math.max(this.#keptFrom - this.#base, 0);
    if (this.index > from)
      this.#kept.push(
        from === 0 && this.index === this.source.length ? this.source : this.source.slice(from, this.index),
      );
  }
}
