import type { Logger, Secret } from '@talaria/core';
import type { Tool } from '@talaria/tools';

/** Tools of one kind. */
export interface ToolSource {
  readonly tools: readonly Tool[];
  /** Toolsets that somebody configured. */
  readonly configuredToolsets: readonly string[];
}

/** What sources are opened with. */
export interface ToolSourceOptions {
  readonly logger: Logger;
  /** Of the configuration: no address that a tool visits and no result may hold them. */
  readonly secrets: readonly Secret[];
  /** Stops the opening. */
  readonly signal?: AbortSignal | undefined;
}
