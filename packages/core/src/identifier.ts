import { createHash, randomBytes } from 'node:crypto';
import { canonicalJson, type JsonValue } from './json.ts';

/** Makes a new identifier that starts with the given prefix. */
export type CreateId = (prefix: string) => string;

/** `prefix` + `_` + 24 lower-case hex digits of a cryptographic random source. */
export const createId: CreateId = (prefix) => `${prefix}_${randomBytes(12).toString('hex')}`;

/** SHA-256 of the canonical JSON of a value, in lower-case hex. Equal values have equal hashes. */
export function contentHash(value: JsonValue): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
