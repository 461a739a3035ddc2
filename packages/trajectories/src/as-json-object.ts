import { InternalError, isJsonObject, type JsonObject } from '@talaria/core';

/**
 * Interfaces of wire shapes have no index signature, so TypeScript has to be shown that they are JSON objects.
 * Nothing is copied: a record of many messages is encoded often.
 */
export function asJsonObject(value: object): JsonObject {
  if (isJsonObject(value)) return value;
  throw new InternalError('An array stands where an object should', { code: 'internal.not-an-object' });
}
