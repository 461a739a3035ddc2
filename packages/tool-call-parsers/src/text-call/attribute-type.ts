import { readJson } from '../json/json-text.ts';
import { typeValue } from '../schema/typed-value.ts';
import type { ValueSchema } from '../schema/value-schema.ts';

/** The schema of a value of which the text itself says whether it is a string; where it says nothing, the declared one. */
export function attributedSchema(declared: ValueSchema, isText: boolean | undefined): ValueSchema {
  return isText === undefined ? declared : { ...declared, isText };
}

/** The JSON text of a value that the text says to be no string: as it stands where it is JSON, else as it is declared. */
export function typeJsonValue(raw: string, schema: ValueSchema): string {
  return readJson(raw) ?? typeValue(raw, schema);
}
