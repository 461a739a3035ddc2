import { decodeJsonString, readJson } from '../json/json-text.ts';
import { decimalToJson } from '../python/python-number.ts';
import { pythonToJson } from '../python/python-to-json.ts';
import { pythonWordToJson } from '../python/python-words.ts';
import { escapeText } from '../text/escape-text.ts';
import { trimWhiteSpace } from '../text/white-space.ts';
import type { JsonType, ValueSchema } from './value-schema.ts';

const integer = /^[-+]?\d+(?:\.0+)?$/;

/**
 * The JSON text of a value of which a format gives only the raw text. What the schema asks for is taken where the text
 * has it, with the model's own digits; everything else is a string, so that validation against the schema can report it.
 */
export function typeValue(raw: string, schema: ValueSchema): string {
  const typed = schema.isText ? undefined : readTyped(trimWhiteSpace(raw), schema.types);
  return typed ?? `"${escapeText(raw)}"`;
}

/** The text as a value that is no string, or undefined. The order of the types is the order of precedence. */
function readTyped(text: string, types: ReadonlySet<JsonType> | undefined): string | undefined {
  if (types === undefined) return readJson(text) ?? pythonWordToJson(text);
  // Long enough to tell the words from longer text.
  const word = text.slice(0, 6).toLowerCase();
  if (types.has('null') && (word === 'null' || word === 'none')) return 'null';
  if (types.has('boolean') && (word === 'true' || word === 'false')) return word;
  const isNumber = types.has('number') || (types.has('integer') && integer.test(text));
  return (isNumber ? decimalToJson(text) : undefined) ?? readContainer(text, types);
}

/** The text as an object or array of JSON or Python, or as a JSON string that holds one. */
function readContainer(text: string, types: ReadonlySet<JsonType>, isDecoded = false): string | undefined {
  if (text.startsWith('"') && !isDecoded) {
    const json = readJson(text);
    return json && readContainer(trimWhiteSpace(decodeJsonString(json)), types, true);
  }
  const value = /^[[({]/.test(text) ? (readJson(text) ?? pythonToJson(text)) : undefined;
  return value && types.has(value.startsWith('{') ? 'object' : 'array') ? value : undefined;
}
