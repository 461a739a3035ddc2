/** Arguments longer than this are shown as they are: nobody reads them, and every line costs. */
const maxChars = 64 * 1024;

/** Nested deeper than this, lines are indented no further. */
const maxIndents = 20;

/**
 * Lays out JSON text on lines, two spaces for each level. Strings and numbers are left in the model's own spelling, which
 * reading and writing the value would lose: digits of long numbers, escapes, keys that stand twice.
 */
export function prettyJson(json: string): string {
  if (json.length > maxChars) return json;
  let text = '';
  let depth = 0;
  for (const [token] of json.matchAll(tokens)) {
    const isOpening = token === '{' || token === '[';
    const isClosing = token === '}' || token === ']';
    if (isClosing) depth -= 1;
    if (isClosing) text += lineBreak(depth);
    if (isOpening) depth += 1;
    text += token;
    if (isOpening || token === ',') text += lineBreak(depth);
    else if (token === ':') text += ' ';
  }
  return text;
}

/** An empty object or array, a string, one structural character, or a number or a word. */
const tokens = /\{\s*\}|\[\s*\]|"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gsu;

function lineBreak(depth: number): string {
  return `\n${'  '.repeat(Math.min(depth, maxIndents))}`;
}
