/** One character of a path, by what it may be. */
export type CharacterTest = (character: string) => boolean;

/** A piece of a glob. Marks are what stands for choices where they belong together, and for themselves elsewhere. */
export type GlobToken =
  | { readonly kind: 'literal'; readonly character: string }
  | { readonly kind: 'one'; readonly fits: CharacterTest }
  | { readonly kind: 'stars'; readonly count: number }
  | { readonly kind: 'mark'; readonly character: '{' | ',' | '}' };

/** Any character within one part of a path. */
export const isInsidePart: CharacterTest = (character) => character !== '/';

/** Splits a glob. A backslash makes the next character literal; a bracket that nothing closes is one itself. */
export function readGlobTokens(glob: string): readonly GlobToken[] {
  const characters = [...glob];
  const tokens: GlobToken[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    const setEnd = character === '[' ? endOfSet(characters, at) : -1;
    if (setEnd !== -1) {
      tokens.push({ kind: 'one', fits: readSet(characters.slice(at + 1, setEnd)) });
      at = setEnd;
    } else if (character === '*') {
      const start = at;
      while (characters[at + 1] === '*') at += 1;
      tokens.push({ kind: 'stars', count: at - start + 1 });
    } else if (character === '?') tokens.push({ kind: 'one', fits: isInsidePart });
    else if (character === '{' || character === ',' || character === '}') tokens.push({ kind: 'mark', character });
    else {
      const isEscape = character === '\\' && at + 1 < characters.length;
      if (isEscape) at += 1;
      tokens.push({ kind: 'literal', character: characters[at] ?? '' });
    }
  }
  return tokens;
}

/** Where the `]` of a set stands, of which the first character may be one too; `-1` where there is none. */
function endOfSet(characters: readonly string[], start: number): number {
  const first = isNegation(characters[start + 1]) ? start + 2 : start + 1;
  for (let at = first; at < characters.length; at += 1) {
    if (characters[at] === '\\') at += 1;
    else if (characters[at] === ']' && at > first) return at;
  }
  return -1;
}

function isNegation(character: string | undefined): boolean {
  return character === '!' || character === '^';
}

/** What stands between the brackets: characters and ranges of them. */
function readSet(body: readonly string[]): CharacterTest {
  const isNegated = isNegation(body[0]);
  const singles = new Set<string>();
  const ranges: (readonly [number, number])[] = [];
  for (let at = isNegated ? 1 : 0; at < body.length; at += 1) {
    if (body[at] === '\\' && at + 1 < body.length) at += 1;
    const from = body[at] ?? '';
    const to = body[at + 1] === '-' ? body[at + 2] : undefined;
    if (to === undefined) singles.add(from);
    else {
      ranges.push([codeOf(from), codeOf(to)]);
      at += 2;
    }
  }
  const isIn: CharacterTest = (character) =>
    singles.has(character) || ranges.some(([from, to]) => from <= codeOf(character) && codeOf(character) <= to);
  return (character) => isInsidePart(character) && isIn(character) !== isNegated;
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
