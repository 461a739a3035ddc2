/** A pattern in grep's dialect, or why it has none there. */
export type ExtendedRegex =
  | { readonly ok: true; readonly regex: string; readonly ignoresCase: boolean }
  | { readonly ok: false; readonly message: string };

const outside: ReadonlyMap<string, string> = new Map([
  ['d', '[0-9]'],
  ['D', '[^0-9]'],
  ['w', '[[:alnum:]_]'],
  ['W', '[^[:alnum:]_]'],
  ['s', '[[:space:]]'],
  ['S', '[^[:space:]]'],
  ['t', '\t'],
  ['r', '\r'],
  ['A', '^'],
  ['z', '$'],
  ['b', '\\b'],
  ['B', '\\B'],
]);

/** No line holds a line break, so that it can be left out of a set. */
const inside: ReadonlyMap<string, string> = new Map([
  ['d', '0-9'],
  ['w', '[:alnum:]_'],
  ['s', '[:space:]'],
  ['t', '\t'],
  ['r', '\r'],
  ['n', ''],
]);

/**
 * Writes a regular expression of the usual dialect (`\d`, `\w`, `\s`, `(?:…)`, `+?`, a leading `(?i)`) as a POSIX extended
 * one. What POSIX cannot say is refused: grep would read it as something else, and find that, or nothing.
 */
export function toExtendedRegex(pattern: string): ExtendedRegex {
  const ignoresCase = pattern.startsWith('(?i)');
  const reader: Reader = { source: ignoresCase ? pattern.slice(4) : pattern, at: 0 };
  let regex = '';
  let isBehindQuantifier = false;
  while (reader.at < reader.source.length) {
    const character = reader.source.charAt(reader.at);
    // A second sign says how a repetition is tried, not what it matches; to grep it would be a repetition of its own.
    if (isBehindQuantifier && (character === '?' || character === '+')) {
      reader.at += 1;
      isBehindQuantifier = false;
      continue;
    }
    const piece = readPiece(reader, character);
    if (piece === undefined) {
      const unknown = reader.source.slice(reader.at, reader.at + 3);
      return { ok: false, message: `grep, which searches here, does not know ${unknown}: use a plainer pattern` };
    }
    regex += piece;
    isBehindQuantifier = /[*+?}]/.test(character);
  }
  return { ok: true, regex, ignoresCase };
}

interface Reader {
  readonly source: string;
  at: number;
}

/** The next piece in grep's dialect; `undefined` where it has no word for it. */
function readPiece(reader: Reader, character: string): string | undefined {
  if (character === '\\') return readEscape(reader);
  if (character === '[') return readSet(reader);
  if (character === '(') return readGroupStart(reader);
  reader.at += 1;
  return character;
}

function readEscape(reader: Reader): string | undefined {
  const escaped = reader.source.charAt(reader.at + 1);
  const piece = outside.get(escaped) ?? literalOf(escaped);
  if (piece !== undefined) reader.at += 2;
  return piece;
}

/**
 * What a character means behind a backslash. grep has anchors of its own that look like escapes: a quote, a backtick, `<`
 * and `>`; the last two are too much like borders of words in other dialects to be taken literally.
 */
function literalOf(escaped: string): string | undefined {
  if (/[a-zA-Z0<>]/.test(escaped)) return undefined;
  return escaped === '' || /[.[\]{}()*+?^$|\\1-9]/.test(escaped) ? `\\${escaped}` : escaped;
}

/** `(`, `(?:`, `(?<name>`, `(?P<name>`: what a group is called does not matter here. */
function readGroupStart(reader: Reader): string | undefined {
  const [start] = /^\((?:\?:|\?P?<[A-Za-z_]\w*>)?/.exec(reader.source.slice(reader.at, reader.at + 100)) ?? ['('];
  if (start === '(' && reader.source.startsWith('(?', reader.at)) return undefined;
  reader.at += start.length;
  return '(';
}

/** A backslash means itself within POSIX brackets: what it protected goes to where it has no meaning of its own. */
function readSet(reader: Reader): string | undefined {
  const { source } = reader;
  const start = source.startsWith('[^', reader.at) ? '[^' : '[';
  const first = reader.at + start.length;
  const literals = new Set<string>();
  let set = '';
  for (let at = first; at < source.length; at += 1) {
    const character = source.charAt(at);
    const next = source.charAt(at + 1);
    if (character === '\\' && next !== '') {
      at += 1;
      const piece = inside.get(next) ?? (/[a-zA-Z]/.test(next) ? undefined : next);
      if (piece === undefined) return undefined;
      if (/[\]^-]/.test(next)) literals.add(piece);
      else set += piece;
    } else if (character === ']' && at > first) {
      reader.at = at + 1;
      return closeSet(start, set, literals);
    } else set += character;
  }
  reader.at = source.length;
  return start + set;
}

function closeSet(start: '[' | '[^', set: string, literals: ReadonlySet<string>): string | undefined {
  const place = (character: string): string => (literals.has(character) ? character : '');
  const body = `${place(']')}${set}${place('^')}${place('-')}`;
  if (body === '') return start === '[' ? undefined : '.';
  return start === '[' && body.startsWith('^') ? closeCaret(body) : `${start}${body}]`;
}

/** A caret must not come first. */
function closeCaret(body: string): string {
  return body === '^' ? '\\^' : `[${body.slice(1)}^]`;
}
