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
  const firsts = [...new Set(tokens.map((token) => token.charAt(0)))];
  const only = firsts.length === 1 ? firsts[0] : undefined;
  const starts = new RegExp(`[${firsts.join('').replace(/\W/g, '\\$&')}]`, 'g');
  return {
    find(source, from) {
      // One character is found much faster without an expression.
      if (only) {
        const at = source.indexOf(only, from);
        return at < 0 ? source.length : at;
      }
      starts.lastIndex = from;
      return starts.test(source) ? starts.lastIndex - 1 : source.length;
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
