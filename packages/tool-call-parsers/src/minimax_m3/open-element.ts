import type { ToolIndex } from '../schema/tool-index.ts';
import { unknownValue, type ValueSchema } from '../schema/value-schema.ts';
import type { ArgumentsWriter } from '../text-call/arguments-writer.ts';
import { elementSchema, isArray, itemName } from './element.ts';

/** A call, or an element of elements in it, whose end was not read yet. */
export interface OpenElement {
  readonly name: string;
  readonly schema: ValueSchema;
  /** How many elements are open. */
  readonly depth: number;
  /** What it stands in; undefined for a call. */
  readonly outer?: OpenElement | undefined;
  /** Where the values of a call go, whose parameters flow; undefined for an element. */
  readonly writer?: ArgumentsWriter | undefined;
  readonly members: (readonly [name: string, json: string])[];
}

/** A call that begins. */
export function openCall(writer: ArgumentsWriter, toolName: string, tools: ToolIndex): OpenElement {
  const schema: ValueSchema = {
    ...unknownValue,
    types: new Set(['object']),
    property: (name) => tools.parameter(toolName, name),
  };
  return { name: 'invoke', schema, depth: 0, writer, members: [] };
}

/** An element of elements that begins in another one. */
export function openElement(outer: OpenElement, name: string): OpenElement {
  return { name, schema: elementSchema(outer.schema, name), depth: outer.depth + 1, outer, members: [] };
}

/** Adds a value to what it stands in. */
export function addValue({ writer, members }: OpenElement, name: string, json: string): void {
  if (writer) {
    writer.key(name);
    writer.json(json);
  } else members.push([name, json]);
}

/** A name that is the same in JSON: that is told faster than written, and nearly all are. */
const plainName = /^[\w-]+$/;

/** An element of elements as JSON text. */
export function elementJson({ schema, members }: OpenElement): string {
  const hasOnlyItems = members.every(([name]) => name === itemName);
  const isList = isArray(schema, hasOnlyItems);
  let json = '';
  for (const [name, value] of members) {
    if (json) json += ', ';
    if (!isList) json += plainName.test(name) ? `"${name}": ` : `${JSON.stringify(name)}: `;
    json += value;
  }
  return isList ? `[${json}]` : `{${json}}`;
}
