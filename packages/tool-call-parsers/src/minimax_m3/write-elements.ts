import { typeValue } from '../schema/typed-value.ts';
import type { ValueSchema } from '../schema/value-schema.ts';
import { jsonMembers, plainValue } from '../text-call/json-members.ts';
import { elementSchema, isArray, itemName } from './element.ts';
import { marker } from './marker.ts';

/** The name of an element. Other keys can only stand in JSON. */
const elementName = /^[^\s<>/][^\s<>]{0,255}$/;

/**
 * A value, given as JSON text, as what stands in an element: nested elements down to plain text. Undefined where that
 * would be read as another value.
 */
export function writeElements(json: string, schema: ValueSchema): string | undefined {
  const isList = json.startsWith('[');
  const members = isList || json.startsWith('{') ? jsonMembers(json) : [];
  let written = '';
  let hasOnlyItems = true;
  for (const [key, value] of members) {
    const name = isList ? itemName : key;
    const inner = writeElements(value, elementSchema(schema, name));
    if (inner === undefined || !elementName.test(name)) return undefined;
    hasOnlyItems &&= name === itemName;
    written += `${marker}<${name}>${inner}${marker}</${name}>`;
  }
  if (written) return isList === isArray(schema, hasOnlyItems) ? written : undefined;
  const text = plainValue(json);
  const read = json.startsWith('"') ? JSON.stringify(text) : json;
  return typeValue(text, schema) === read && !text.includes(marker) ? text : undefined;
}
