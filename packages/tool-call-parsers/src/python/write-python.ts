const pythonTokens: ReadonlyMap<string, string> = new Map([
  [',', ', '],
  [':', ': '],
  ['true', 'True'],
  ['false', 'False'],
  ['null', 'None'],
]);
const jsonTokens = /[ \t\r\n]+|[,:]|true|false|null/g;

/** JSON text as a Python literal: strings in double quotes, digits kept, `", "` and `": "` between the parts. */
export function writePython(json: string): string {
  const parts: string[] = [];
  let index = 0;
  while (index < json.length) {
    const start = json.indexOf('"', index);
    const between = json.slice(index, start < 0 ? json.length : start);
    parts.push(between.replace(jsonTokens, (token) => pythonTokens.get(token) ?? ''));
    if (start < 0) break;
    index = stringEnd(json, start);
    const literal = json.slice(start, index);
    // Two escapes differ: Python has no `\/`, and takes `\u` for half a character where JSON writes one as a pair.
    parts.push(/\\[/u]/.test(literal) ? JSON.stringify(JSON.parse(literal)) : literal);
  }
  return parts.join('');
}

/** The index behind the JSON string that begins at `start`. */
function stringEnd(json: string, start: number): number {
  let quote = start;
  let backslashes = 0;
  do {
    quote = json.indexOf('"', quote + 1);
    backslashes = 0;
    while (json[quote - 1 - backslashes] === '\\') backslashes += 1;
  } while (backslashes % 2 === 1);
  return quote + 1;
}
