import { TextWindow } from '../text/text-window.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import { JsonScanner } from './json-scanner.ts';

/** Where a stretch of JSON text begins: outside strings, in one, or in one behind the back-slash of an escape. */
export type JsonPlace = 'outside' | 'string' | 'escape';

const shortEscapes: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

/** All characters below the space. */
const control: RegExp = /[^ -\uffff]/;

/**
 * Writes the raw control characters in the strings of JSON text as escapes; white space between the parts stays. The
 * text may be a stretch of a longer one, and must be valid but for the control characters.
 */
export function escapeControls(json: string, begins: JsonPlace = 'outside'): string {
  if (!control.test(json)) return json;
  let escaped = '';
  let index = 0;
  let open = begins === 'outside' ? afterQuote(json, 0) : begins === 'string' ? 0 : 1;
  while (open >= 0) {
    const close = closingQuote(json, open);
    escaped += json.slice(index, open) + escapeString(json.slice(open, close));
    index = close;
    open = afterQuote(json, close + 1);
  }
  return escaped + json.slice(index);
}

/** The value of a JSON string as it stands in the text, quotes included. It must have been scanned. */
export function decodeJsonString(literal: string): string {
  if (!literal.includes('\\') && !control.test(literal)) return literal.slice(1, -1);
  const value: unknown = JSON.parse(escapeControls(literal));
  return String(value);
}

/** The JSON object that makes up the whole text but for white space around it, controls escaped; else undefined. */
export function readJsonObject(text: string): string | undefined {
  const json = trimWhiteSpace(text);
  if (!json.startsWith('{')) return undefined;
  const scanner = new JsonScanner();
  const window = new TextWindow();
  window.append(json);
  let stop = scanner.scan(window, json.length);
  while (stop === 'key' || stop === 'value') stop = scanner.scan(window, json.length);
  if (stop !== 'end' || window.index !== json.length) return undefined;
  return escapeControls(json);
}

/** The index behind the next quote, or -1. */
function afterQuote(json: string, from: number): number {
  const quote = json.indexOf('"', from);
  return quote < 0 ? -1 : quote + 1;
}

/** The index of the quote that closes the string around `from`, or the text's length. */
function closingQuote(json: string, from: number): number {
  let quote = json.indexOf('"', from);
  while (quote >= 0 && isEscaped(json, quote, from)) quote = json.indexOf('"', quote + 1);
  return quote < 0 ? json.length : quote;
}

function isEscaped(json: string, index: number, from: number): boolean {
  let before = index - 1;
  while (before >= from && json.charCodeAt(before) === 92) before -= 1;
  return (index - 1 - before) % 2 === 1;
}

function escapeString(text: string): string {
  return control.test(text) ? Array.from(text, escapeCharacter).join('') : text;
}

function escapeCharacter(character: string): string {
  if (!control.test(character)) return character;
  return shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
