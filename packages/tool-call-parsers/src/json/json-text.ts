import { createTextWindow } from '../text/text-window.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import { createJsonScanner, type JsonPlace, type JsonStop } from './json-scanner.ts';

/** A character below the space. */
const control: RegExp = /[^ -\uffff]/;

/** What tells where strings begin and end, and control characters. */
const stringParts: RegExp = /\\.|"|[^ -\uffff]/gs;

/**
 * Writes the raw control characters in the strings of JSON text as escapes; white space between the parts stays. The
 * text may be a stretch of a longer one, and must be valid but for the control characters.
 */
export function escapeControls(json: string, begins: JsonPlace = 'outside'): string {
  if (!control.test(json)) return json;
  let isInString = begins !== 'outside';
  const lead = begins === 'escape' ? '\\' : '';
  const escaped = (lead + json).replace(stringParts, (part) => {
    if (part === '"') isInString = !isInString;
    return isInString && part < ' ' ? JSON.stringify(part).slice(1, -1) : part;
  });
  return escaped.slice(lead.length);
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
  const scanner = createJsonScanner();
  const window = createTextWindow();
  window.append(json);
  let stop: JsonStop;
  do stop = scanner.scan(window, json.length);
  while (stop === 'key' || stop === 'value');
  if (stop !== 'end' || window.index !== json.length) return undefined;
  return escapeControls(json);
}
