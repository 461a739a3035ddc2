/** {@link TokenTable.match}: no token begins here. */
export const noToken = -1;

/** {@link TokenTable.match}: the text ends inside what may become a token. */
export const partialToken = -2;

/** A fixed set of tokens (markers, tags) to be found in text. A token wins over another that is its beginning. */
export class TokenTable {
  /** Longest first. */
  readonly tokens: readonly string[];
  /** One class of characters, so its search is linear. */
  readonly #starts: RegExp;

  constructor(tokens: readonly string[]) {
    this.tokens = [...tokens].sort((left, right) => right.length - left.length);
    this.#starts = new RegExp(
      tokens.map((token) => `\\u${token.charCodeAt(0).toString(16).padStart(4, '0')}`).join('|'),
      'g',
    );
  }

  /** The first index from `from` on where a token may begin, or the text's length. */
  findCandidate(source: string, from: number): number {
    this.#starts.lastIndex = from;
    return this.#starts.test(source) ? this.#starts.lastIndex - 1 : source.length;
  }

  /** Which token begins at `index`: its place in {@link tokens}, {@link noToken} or {@link partialToken}. */
  match(source: string, index: number): number {
    const available = source.length - index;
    if (available === 0) return noToken;
    const second = source.charCodeAt(index + 1);
    for (const [place, token] of this.tokens.entries()) {
      // A cheap refusal first: hostile text repeats a token's first character only.
      if (available > 1 && token.length > 1 && token.charCodeAt(1) !== second) continue;
      if (available >= token.length ? source.startsWith(token, index) : token.startsWith(source.slice(index))) {
        return available >= token.length ? place : partialToken;
      }
    }
    return noToken;
  }
}
