import { trimWhiteSpace } from '../text/white-space.ts';
import { maximumJsonDepth } from './json-scanner.ts';

/** A character below the space. */
const control: RegExp = /[^ -\uffff]/;

/** What tells where strings begin and end, and control characters. */
const stringParts: RegExp = /\\.|"|[^ -\uffff]/gs;

/**
 * Writes the raw control characters in the strings of JSON text as escapes; white space between the parts stays. The
 * text may be a stretch of a longer one that begins in a string or not, but not in an escape.
 */
export function escapeControls(json: string, beginsInString = false): string {
  if (!control.test(json)) return json;
  let isInString = beginsInString;
  return json.replace(stringParts, (part) => {
    if (part === '"') isInString = !isInString;
    return isInString && part < ' ' ? JSON.stringify(part).slice(1, -1) : part;
  });
}

/** What JSON begins with. */
const jsonStart = /^[-\d[{"tfn]/;

/** The value of a JSON string as it stands in the text, quotes included. It must have been scanned. */
export function decodeJsonString(literal: string): string {
  return String(JSON.parse(escapeControls(literal)));
}

/** The JSON value that makes up the whole text but for white space around it, controls escaped; else undefined. */
export function readJson(text: string): string | undefined {
  const trimmed = trimWhiteSpace(text);
  // Most texts that are no JSON, and may be long, are refused by their first character.
  return jsonStart.test(trimmed) ? readTrimmed(trimmed) : undefined;
}

/** {@link readJson} for objects only. */
export function readJsonObject(text: string): string | undefined {
  const trimmed = trimWhiteSpace(text);
  return trimmed[0] === '{' ? readTrimmed(trimmed) : undefined;
}

function readTrimmed(text: string): string | undefined {
  const json = escapeControls(text);
  try {
    return nestsAtMost(maximumJsonDepth, JSON.parse(json)) ? json : undefined;
  } catch {
    // JSON.parse throws on nothing else than what is no JSON.
    return undefined;
  }
}

function nestsAtMost(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => nestsAtMost(depth - 1, item));
}
