import type { JsonObject } from '@talaria/core';
import { hasImages } from './backend-kinds.ts';
import { defaultImage } from './terminal-config.ts';

/** Defaults that depend on the backend: below everything that anybody says. */
export function backendDefaults(backend: string): JsonObject {
  return hasImages(backend) ? { terminal: { image: defaultImage } } : {};
}
