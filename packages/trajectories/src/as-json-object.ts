import type { JsonObject } from '@talaria/core';

/** Interfaces of wire shapes have no index signature, so TypeScript has to be shown that they are JSON objects. */
export function asJsonObject(value: object): JsonObject {
  return Object.fromEntries(Object.entries(value));
}
