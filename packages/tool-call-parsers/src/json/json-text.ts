import { TextWindow } from '../text/text-window.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import { JsonScanner } from './json-scanner.ts';

const shortEscapes: ReadonlyMap<number, string> = /* @__PURE__ */ new Map([
  [8, '\\b'],
  [9, '\\t'],
  [10, '\\n'],
  [12, '\\f'],
  [13, '\\r'],
]);

/** Writes the raw control characters in the strings of JSON text as escapes, piece by piece. White space between the parts stays. */
export class ControlEscaper {
  #isInString = false;
  #isEscaped = false;

  /** The next piece, escaped. The pieces together must be valid JSON but for the control characters. */
  push(piece: string): string {
    let escaped = '';
    let copiedTo = 0;
    for (let index = 0; index < piece.length; index += 1) {
      const code = piece.charCodeAt(index);
      if (this.#isEscaped) {
        this.#isEscaped = false;
      } else if (code === 34) {
        this.#isInString = !this.#isInString;
      } else if (code === 92) {
        this.#isEscaped = true;
      } else if (code < 32 && this.#isInString) {
        escaped += piece.slice(copiedTo, index) + escapeOf(code);
        copiedTo = index + 1;
      }
    }
    return copiedTo === 0 ? piece : escaped + piece.slice(copiedTo);
  }
}

/** The value of a JSON string as it stands in the text, quotes included. It must have been scanned. */
export function decodeJsonString(literal: string): string {
  const value: unknown = JSON.parse(new ControlEscaper().push(literal));
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
  return scanner.hasRawControls ? new ControlEscaper().push(json) : json;
}

function escapeOf(code: number): string {
  return shortEscapes.get(code) ?? `\\u${code.toString(16).padStart(4, '0')}`;
}
