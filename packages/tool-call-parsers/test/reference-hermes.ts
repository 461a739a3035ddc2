/** The content and calls of a text, as the rules define them: slow, of the whole text, sharing no code with the parser. */
export interface ReferenceResult {
  readonly content: string | null;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
}

const startTag = '<tool_call>';
const endTag = '</tool_call>';
const blank = ' \t\r\n';
const endOfTurn =
  /(?:<\|im_end\|>|<\|eot_id\|>|<\|eom_id\|>|<\/s>|<\|endoftext\|>|<｜end▁of▁sentence｜>|\[EOS\]|<\|return\|>|<\|end\|>|<end_of_turn>)[ \t\r\n]*$/;

export function referenceHermes(input: string): ReferenceResult {
  let text = input;
  while (endOfTurn.test(text)) text = text.replace(endOfTurn, '');
  const calls: { name: string; arguments: unknown }[] = [];
  const segments: string[] = [];
  let segmentStart = 0;
  let marker = text.indexOf(startTag);
  while (marker >= 0) {
    const attempt = readBlock(text, marker + startTag.length);
    if (attempt.call !== undefined) {
      calls.push(attempt.call);
      segments.push(text.slice(segmentStart, marker));
      segmentStart = attempt.end;
    }
    marker = text.indexOf(startTag, attempt.end);
  }
  if (calls.length === 0) return { content: text, calls };
  segments.push(text.slice(segmentStart));
  const kept = segments
    .map((segment, index) => trimEnd(index === 0 ? segment : trimStart(segment)))
    .filter((segment) => segment !== '');
  return { content: kept.length === 0 ? null : kept.join('\n'), calls };
}

function readBlock(text: string, from: number): { end: number; call?: { name: string; arguments: unknown } } {
  let start = from;
  while (start < text.length && blank.includes(text.charAt(start))) start += 1;
  const end = objectEnd(text, start);
  const value = end === undefined ? undefined : parseLeniently(text.slice(start, end));
  if (end === undefined || value === undefined) return { end: from };
  const call = asCall(value);
  let after = end;
  while (after < text.length && blank.includes(text.charAt(after))) after += 1;
  const rest = text.slice(after);
  if (call === undefined) return { end };
  if (rest.startsWith(endTag)) return { end: after + endTag.length, call };
  if (endTag.startsWith(rest)) return { end: text.length, call };
  return rest.startsWith(startTag) || startTag.startsWith(rest) ? { end: after, call } : { end };
}

/** Where the brackets that open at `start` are closed, strings left out. */
function objectEnd(text: string, start: number): number | undefined {
  if (text.charAt(start) !== '{') return undefined;
  let depth = 0;
  let isInString = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (isInString) {
      if (character === '\\') index += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if ('{['.includes(character)) depth += 1;
    else if ('}]'.includes(character)) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}

/** `JSON.parse` that lets raw control characters in strings pass. */
function parseLeniently(json: string): unknown {
  let escaped = '';
  let isInString = false;
  for (let index = 0; index < json.length; index += 1) {
    const character = json.charAt(index);
    if (isInString && character === '\\') {
      escaped += json.slice(index, index + 2);
      index += 1;
    } else {
      if (character === '"') isInString = !isInString;
      escaped += isInString && character < ' ' ? JSON.stringify(character).slice(1, -1) : character;
    }
  }
  try {
    return JSON.parse(escaped);
  } catch {
    return undefined;
  }
}

function asCall(value: unknown): { name: string; arguments: unknown } | undefined {
  const object = Object(value);
  const name = typeof object.name === 'string' ? trimStart(trimEnd(object.name)) : '';
  const given = 'arguments' in object ? object.arguments : object.parameters;
  if (name === '') return undefined;
  if (given === undefined || given === null) return { name, arguments: {} };
  if (typeof given === 'string') {
    if (trimEnd(given) === '') return { name, arguments: {} };
    const decoded = parseLeniently(trimStart(trimEnd(given)));
    return isObject(decoded) ? { name, arguments: decoded } : undefined;
  }
  return isObject(given) ? { name, arguments: given } : undefined;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function trimStart(text: string): string {
  return text.replace(/^[ \t\r\n]+/, '');
}

function trimEnd(text: string): string {
  return text.replace(/[ \t\r\n]+$/, '');
}
