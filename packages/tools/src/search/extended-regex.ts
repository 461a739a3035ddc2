const outside: ReadonlyMap<string, string> = new Map([
  ['d', '[0-9]'],
  ['D', '[^0-9]'],
  ['w', '[[:alnum:]_]'],
  ['W', '[^[:alnum:]_]'],
  ['s', '[[:space:]]'],
  ['S', '[^[:space:]]'],
  ['t', '\t'],
]);

const inside: ReadonlyMap<string, string> = new Map([
  ['d', '0-9'],
  ['w', '[:alnum:]_'],
  ['s', '[:space:]'],
  ['t', '\t'],
]);

/**
 * Writes a regular expression of the usual dialect (`\d`, `\w`, `\s`, `(?:…)`, a leading `(?i)`) as a POSIX extended one.
 * What POSIX cannot say stays as it is, and is refused or read otherwise by grep.
 */
export function toExtendedRegex(pattern: string): { readonly regex: string; readonly ignoresCase: boolean } {
  const ignoresCase = pattern.startsWith('(?i)');
  const source = ignoresCase ? pattern.slice(4) : pattern;
  let regex = '';
  /** Where the set that is being read begins, behind `[` or `[^`; -1 outside of one. */
  let setStart = -1;
  for (let index = 0; index < source.length; index += 1) {
    const character = source.charAt(index);
    const next = source.charAt(index + 1);
    if (character === '\\' && next !== '') {
      index += 1;
      regex += setStart === -1 ? (outside.get(next) ?? `\\${next}`) : escapeInBrackets(next);
    } else if (setStart === -1 && source.startsWith('(?:', index)) {
      index += 2;
      regex += '(';
    } else {
      if (character === '[' && setStart === -1) setStart = index + (next === '^' ? 2 : 1);
      // A bracket that comes first belongs to the set.
      else if (character === ']' && index > setStart) setStart = -1;
      regex += character;
    }
  }
  return { regex, ignoresCase };
}

/** A backslash means itself within POSIX brackets, so escapes are resolved. */
function escapeInBrackets(letter: string): string {
  return inside.get(letter) ?? (letter === '\\' ? '\\' : letter);
}
