/** {@link TokenTable.match}: no token begins here. */
export const noToken = -1;

/** {@link TokenTable.match}: the text ends inside what may become a token. */
export const partialToken = -2;

/** A fixed set of tokens (markers, tags) to be found in text. A token wins over another that is its beginning. */
export class TokenTable {
  /** Longest first. */
  readonly tokens: readonly string[];
  /** Places of the tokens that begin with a character, by its code; for ASCII in an array, since text is mostly that. */
  readonly #asciiPlaces: (readonly number[] | undefined)[];
  readonly #otherPlaces: ReadonlyMap<number, readonly number[]>;
  /** The second character of each token: hostile text repeats the first, and is refused by the second. */
  readonly #secondCodes: readonly number[];

  constructor(tokens: readonly string[]) {
    this.tokens = [...new Set(tokens)].sort((left, right) => right.length - left.length);
    const places = new Map<number, number[]>();
    for (const [place, token] of this.tokens.entries()) {
      const code = token.charCodeAt(0);
      places.set(code, [...(places.get(code) ?? []), place]);
    }
    this.#asciiPlaces = Array.from({ length: 128 }, (_, code) => places.get(code));
    this.#otherPlaces = new Map([...places].filter(([code]) => code >= 128));
    this.#secondCodes = this.tokens.map((token) => token.charCodeAt(1));
  }

  /** The first index from `from` on where a token may begin, or the text's length. */
  findCandidate(source: string, from: number): number {
    let index = from;
    while (index < source.length && this.#placesFor(source.charCodeAt(index)) === undefined) index += 1;
    return index;
  }

  /** Which token begins at `index`: its place in {@link tokens}, {@link noToken} or {@link partialToken}. */
  match(source: string, index: number): number {
    const places = index < source.length ? this.#placesFor(source.charCodeAt(index)) : undefined;
    if (places === undefined) return noToken;
    const available = source.length - index;
    const second = available > 1 ? source.charCodeAt(index + 1) : -1;
    for (const place of places) {
      const token = this.tokens[place] ?? '';
      if (second >= 0 && token.length > 1 && this.#secondCodes[place] !== second) continue;
      if (available < token.length) {
        if (token.startsWith(source.slice(index))) return partialToken;
      } else if (source.startsWith(token, index)) return place;
    }
    return noToken;
  }

  #placesFor(code: number): readonly number[] | undefined {
    if (code < 128) return this.#asciiPlaces[code];
    return this.#otherPlaces.size === 0 ? undefined : this.#otherPlaces.get(code);
  }
}
