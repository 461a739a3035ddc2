import { readJson } from '../json/json-text.ts';
import { decimalToJson } from './python-number.ts';
import { pythonWordToJson } from './python-words.ts';

/**
 * What may differ from JSON, in strings and between them: escapes, quotes and closing brackets; then opening ones,
 * commas, names and numbers, with the character that comes next. Numbers with leading zeros are left, for JSON to refuse.
 */
const tokens =
  /\\(?:\r?\n|[\\"'abfnrtuvxU0-7])?|"""|'''|["')}\]]|(?:[[{(,]|True|False|None|(?![-+]?0\d)[-+]{0,2}\.?\d[-+.\w]*)(?=\s*(.?))/gs;

/** What stands in JSON for tokens in strings, where it differs. A back-slash before what is no escape means itself. */
const stringTokens: Readonly<Record<string, string | undefined>> = {
  '"': '\\"',
  '"""': '\\"\\"\\"',
  '\\': '\\\\',
  "\\'": "'",
  '\\x': '\\u00',
  '\\\n': '',
  '\\\r\n': '',
};

/** What stands in JSON for closing brackets, by what they close. For a tuple that is its comma. */
const closings: Readonly<Record<string, string | undefined>> = { '[]': ']', '{}': '}', ',)': ']' };

/**
 * The JSON text of a text that is one Python literal but for white space around it, else undefined. Only what differs
 * from JSON is rewritten; whether all is well put together is left to the reader of JSON. So what `readLiteral` takes is
 * taken, but for rare spellings: escapes by octal digits and by `a`, `v` and `U`, numbers with underscores or of another
 * base than ten, and `true`, `false` or `null` for a key.
 */
export function pythonToJson(text: string): string | undefined {
  /** The quotes of the open string. */
  let quotes = '';
  /** The open brackets; of a tuple, its comma instead. */
  const open: string[] = [];
  let depth = 0;
  const json = text.replace(tokens, (token: string, next = '') => {
    if (/^["']/.test(token) && token.startsWith(quotes)) {
      // Of three quotes behind a string in one, two are left over, which JSON refuses.
      const rest = quotes && token.slice(quotes.length);
      quotes = quotes ? '' : token;
      return `"${rest}`;
    }
    if (quotes) return stringTokens[token] ?? token;
    // A parenthesis, which JSON has not, in place of a bracket that closes another one.
    if (/[)}\]]/.test(token)) return closings[open[depth--] + token] ?? ')';
    if (token === ',') {
      if (open[depth] === '(') open[depth] = token;
      return /[)}\]]/.test(next) ? '' : token;
    }
    if (/[[{(]/.test(token)) {
      depth += 1;
      open[depth] = token + next === '()' ? ',' : token;
      // A comma that no item precedes may be left out above, so that it is added here, to be refused.
      return (token === '(' ? '[' : token) + (next === ',' ? next : '');
    }
    const scalar = pythonWordToJson(token) ?? decimalToJson(token);
    return scalar && next === ':' ? `"${scalar}"` : (scalar ?? token);
  });
  return readJson(json);
}
