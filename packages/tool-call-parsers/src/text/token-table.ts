/** {@link TokenTable.match}: no token begins here. */
export const noToken = -1;

/** {@link TokenTable.match}: the text ends inside what may become a token. */
export const partialToken = -2;

/** A fixed set of tokens (markers, tags) to be found in text. A token wins over another that is its beginning. */
export class TokenTable {
  /** Longest first. */
  readonly tokens: readonly string[];
  /** By character code: 1 where a token begins with it. */
  readonly #asciiStarts: Uint8Array = new Uint8Array(128);
  readonly #otherStarts: readonly number[];

  constructor(tokens: readonly string[]) {
    this.tokens = [...new Set(tokens)].sort((left, right) => right.length - left.length);
    const starts = this.tokens.map((token) => token.charCodeAt(0));
    for (const start of starts) if (start < 128) this.#asciiStarts[start] = 1;
    this.#otherStarts = starts.filter((start) => start >= 128);
  }

  /** The first index from `from` on where a token may begin, or the text's length. */
  findCandidate(source: string, from: number): number {
    const asciiStarts = this.#asciiStarts;
    const otherStarts = this.#otherStarts;
    for (let index = from; index < source.length; index += 1) {
      const code = source.charCodeAt(index);
      if (code < 128 ? asciiStarts[code] === 1 : otherStarts.length > 0 && otherStarts.includes(code)) return index;
    }
    return source.length;
  }

  /** Which token begins at `index`: its place in {@link tokens}, {@link noToken} or {@link partialToken}. */
  match(source: string, index: number): number {
    const available = source.length - index;
    const second = source.charCodeAt(index + 1);
    for (let place = 0; place < this.tokens.length; place += 1) {
      const token = this.tokens[place] ?? '';
      // A cheap refusal first: hostile text repeats a token's first character only.
      if (available > 1 && token.length > 1 && token.charCodeAt(1) !== second) continue;
      if (available >= token.length ? source.startsWith(token, index) : token.startsWith(source.slice(index))) {
        return available >= token.length ? place : partialToken;
      }
    }
    return noToken;
  }
}
