import type { ScriptCursor } from './script-cursor.ts';

/** Stands in a word for the home folder: `~`, `$HOME`. A character that no command holds. */
export const homeMark = '\u0001';
/** Stands in a word for what only the shell knows: other variables, the output of commands. */
const unknownMark = '\u0002';

/** Who reads the commands that are substituted within a word. */
export interface SubstitutionReader {
  /** Reads `( … )`; the cursor stands on the opening bracket, and afterwards behind the closing one. */
  readGroup(): void;
  /** Reads a script of its own: what stands in backticks. */
  readScript(script: string): void;
  /** Reads the substitutions within text that is not itself a command. */
  readText(text: string): void;
}

/** Reads one word as bash would, with its quotes resolved and nothing expanded. Always moves on. */
export function readShellWord(cursor: ScriptCursor, substitutions: SubstitutionReader): string {
  let word = '';
  const startedAt = cursor.at;
  while (!cursor.isAtEnd) {
    const character = cursor.peek();
    const isProcess = (character === '<' || character === '>') && cursor.peek(1) === '(';
    if (isProcess && cursor.at === startedAt) {
      cursor.at += 1;
      substitutions.readGroup();
      return unknownMark;
    }
    if (' \t\n;&|()<>'.includes(character)) break;
    word += readPiece(cursor, substitutions, cursor.at === startedAt);
  }
  // Whatever stands here cannot be part of a word: step over it rather than stand still.
  if (cursor.at === startedAt) cursor.at += 1;
  return word;
}

function readPiece(cursor: ScriptCursor, substitutions: SubstitutionReader, isFirst: boolean): string {
  const character = cursor.peek();
  if (character === "'") return cursor.readUpTo("'", 1);
  if (character === '"') return readDoubleQuoted(cursor, substitutions);
  if (character === '$' || character === '`') return readExpansion(cursor, substitutions);
  if (character === '\\') {
    const escaped = cursor.peek(1);
    cursor.at += 2;
    return escaped === '\n' ? '' : escaped;
  }
  if (character === '~' && isFirst) {
    const user = /^~[A-Za-z0-9._-]*(?=[/\s;&|()<>]|$)/.exec(cursor.lookAhead(64));
    if (user !== null) {
      cursor.at += user[0].length;
      return homeMark;
    }
  }
  cursor.at += 1;
  return character;
}

function readDoubleQuoted(cursor: ScriptCursor, substitutions: SubstitutionReader): string {
  let text = '';
  cursor.at += 1;
  while (!cursor.isAtEnd) {
    const character = cursor.peek();
    if (character === '"') break;
    if (character === '\\') {
      const escaped = cursor.peek(1);
      text += '$`"\\'.includes(escaped) ? escaped : escaped === '\n' ? '' : `\\${escaped}`;
      cursor.at += 2;
    } else if (character === '$' || character === '`') text += readExpansion(cursor, substitutions);
    else {
      text += character;
      cursor.at += 1;
    }
  }
  cursor.at += 1;
  return text;
}

/** Reads what starts with `$` or a backtick; gives what is known of its value. */
export function readExpansion(cursor: ScriptCursor, substitutions: SubstitutionReader): string {
  if (cursor.peek() === '`') return readBackticks(cursor, substitutions);
  switch (cursor.peek(1)) {
    case "'":
      return readEscapedQuote(cursor);
    case '(':
      cursor.at += 1;
      substitutions.readGroup();
      return unknownMark;
    case '{': {
      // Also whatever is substituted within a default value.
      const inner = cursor.readUpTo('}', 2);
      substitutions.readText(inner);
      return /^HOME(?!\w)/.test(inner) ? homeMark : unknownMark;
    }
  }
  const name = /^(?:[A-Za-z_]\w*|[0-9?$!#@*-])/.exec(cursor.lookAhead(129, 1))?.[0];
  cursor.at += 1 + (name?.length ?? 0);
  if (name === undefined) return '$';
  return name === 'HOME' ? homeMark : unknownMark;
}

function readBackticks(cursor: ScriptCursor, substitutions: SubstitutionReader): string {
  let inner = '';
  cursor.at += 1;
  while (!cursor.isAtEnd && cursor.peek() !== '`') {
    if (cursor.peek() === '\\') cursor.at += 1;
    inner += cursor.peek();
    cursor.at += 1;
  }
  cursor.at += 1;
  substitutions.readScript(inner);
  return unknownMark;
}

/** `$'…'`, where a slash may be written as `\x2f`. */
function readEscapedQuote(cursor: ScriptCursor): string {
  const match = /\$'((?:[^'\\]|\\[\s\S])*)'?/y;
  match.lastIndex = cursor.at;
  const found = match.exec(cursor.script);
  cursor.at += found?.[0].length ?? 2;
  return (found?.[1] ?? '').replaceAll(/\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|([\s\S]))/g, decodeEscape);
}

const namedEscapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);

function decodeEscape(_match: string, hex?: string, octal?: string, letter?: string): string {
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
  return namedEscapes.get(letter ?? '') ?? letter ?? '';
}
