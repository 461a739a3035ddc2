/** Nested deeper than this, lines are indented no further. */
const maxIndents = 20;

/** An empty object or array, a string, one structural character, or a number or a word. */
const tokens = /\{\s*\}|\[\s*\]|"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gsu;

/**
 * Lays out JSON text on lines, two spaces for each level. What the model wrote stays as it is, which
 * `JSON.stringify(JSON.parse(…))` would not do: long numbers, escapes, keys that stand twice.
 */
export function prettyJson(json: string): string {
  let depth = 0;
  let text = '';
  for (const [token] of json.matchAll(tokens)) {
    if (token === '}' || token === ']') {
      depth -= 1;
      text += lineBreak(depth);
    }
    text += token;
    if (token === '{' || token === '[') depth += 1;
    if (token === '{' || token === '[' || token === ',') text += lineBreak(depth);
    if (token === ':') text += ' ';
  }
  return text;
}

function lineBreak(depth: number): string {
  return `\n${'  '.repeat(Math.min(depth, maxIndents))}`;
}
