/** A fixed set of tokens (markers, tags) to be found in text. A token wins over another that is its beginning. */
export interface TokenTable {
  /** The first index from `from` on where a token may begin, or the text's length. */
  find(source: string, from: number): number;
  /** The token that begins at `index`, if any. Empty where the text ends, maybe inside what becomes a token. */
  match(source: string, index: number): string | undefined;
}

/** A table of these tokens. */
export function createTokenTable(tokens: readonly string[]): TokenTable {
  const longestFirst = [...tokens].sort((left, right) => right.length - left.length);
  const [first = '', ...others] = new Set(tokens.map((token) => token.charAt(0)));
  const starts = new RegExp(`[${[first, ...others].join('').replace(/\W/g, '\\$&')}]`, 'g');
  return {
    find(source, from) {
      starts.lastIndex = from;
      // One character is found much faster without an expression.
      const at = others.length === 0 ? source.indexOf(first, from) : starts.test(source) ? starts.lastIndex - 1 : -1;
      return at < 0 ? source.length : at;
    },
    match(source, index) {
      const available = source.length - index;
      const second = source.charCodeAt(index + 1);
      for (const token of longestFirst) {
        // A cheap refusal first: hostile text repeats a token's first character only.
        if (available > 1 && token.length > 1 && token.charCodeAt(1) !== second) continue;
        if (available < token.length) {
          if (token.startsWith(source.slice(index))) return '';
        } else if (source.startsWith(token, index)) return token;
      }
      return undefined;
    },
  };
}
