import type { Logger, Secret } from '@talaria/core';
import type { Tool } from '@talaria/tools';

/** Tools of one kind. */
export interface ToolSource {
  readonly tools: readonly Tool[];
  /** Toolsets that somebody configured. */
  readonly configuredToolsets: readonly string[];
  readonly secrets: readonly Secret[];
}

/** What sources are opened with. */
export interface ToolSourceOptions {
  readonly logger: Logger;
  /** Stops the opening. */
  readonly signal?: AbortSignal | undefined;
}
