import { createLocalBackend } from '@talaria/terminal-backends/local';
import type { OpenedBackend } from './opened-backend.ts';
import { type BackendSource, sharedOptions } from './shared-options.ts';

/** Creates the local backend from settings. */
export function openLocal(source: BackendSource): OpenedBackend {
  return createLocalBackend(sharedOptions(source));
}
