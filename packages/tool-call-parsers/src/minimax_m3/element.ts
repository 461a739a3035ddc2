import type { ValueSchema } from '../schema/value-schema.ts';

/** The name of the elements that are the items of an array. */
export const itemName = 'item';

/** Whether the value of an element of these elements is an array. Where the schema allows but one of both, it is that. */
export function isArray(schema: ValueSchema, hasOnlyItems: boolean): boolean {
  const { types } = schema;
  return hasOnlyItems && (!types?.has('object') || types.has('array'));
}

/** What is declared of an element in another one. */
export function elementSchema(parent: ValueSchema, name: string): ValueSchema {
  return isArray(parent, name === itemName) ? parent.item() : parent.property(name);
}
