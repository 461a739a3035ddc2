/** The members of an object, in order: each name, and its value as JSON text. The items of an array have no names. */
export function jsonMembers(json: string): readonly (readonly [name: string, value: string])[] {
  const members: (readonly [string, string])[] = [];
  const itemFrom = Number(json.startsWith('['));
  let depth = 0;
  let name = '';
  /** Where the value begins, or 0 before it. */
  let from = itemFrom;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') {
      const start = index;
      index = stringEnd(json, index);
      if (depth === 1 && from === 0) name = String(JSON.parse(json.slice(start, index + 1)));
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === ':' && depth === 1) from = index + 1;
    const isEnd = depth === 0 || (depth === 1 && character === ',');
    if (isEnd && from > 0) {
      const value = json.slice(from, index).trim();
      if (value) members.push([name, value]);
      from = itemFrom && index + 1;
    }
  }
  return members;
}

/** A value as plain text: strings without their quotes, everything else as JSON. */
export function plainValue(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

/** The index of the quote that closes the string which opens at `index`. */
export function stringEnd(json: string, index: number): number {
  for (let quote = index; ; ) {
    quote = json.indexOf('"', quote + 1);
    let before = quote - 1;
    while (json[before] === '\\') before -= 1;
    if ((quote - before) % 2 === 1) return quote;
  }
}
