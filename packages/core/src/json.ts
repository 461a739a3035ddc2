/** Any value that JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** An object that JSON can hold. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Outcome of {@link parseJson}. */
export type JsonResult =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string };

/**
 * Parses JSON text that may be hostile. A `__proto__` key is dropped, so that the value is safe to spread and merge.
 * Never throws.
 */
export function parseJson(text: string): JsonResult {
  try {
    const value: JsonValue = text.includes('__proto__') ? JSON.parse(text, dropPrototypeKey) : JSON.parse(text);
    return { ok: true, value };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

function dropPrototypeKey(this: unknown, key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

/** Whether the value is a JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * JSON text that is equal for equal values: keys sorted by code unit, no white space, absent fields left out.
 * The basis of content hashes.
 */
export function canonicalJson(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map((entry) => canonicalJson(entry ?? null)).join(',')}]`;
  if (isJsonObject(value)) {
    const fields = Object.keys(value)
      .sort()
      .flatMap((key) => (value[key] === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(value[key])}`]));
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}
