import type { Logger, Secret } from '@talaria/core';
import type { Tool } from '@talaria/tools';
import type { AcceptFault } from './tool-fault.ts';

/** Tools of one kind. */
export interface ToolSource {
  readonly tools: readonly Tool[];
  /** Names of those that somebody configured; what they can lack and do without is not counted. */
  readonly configuredTools: readonly string[];
}

/** What sources are opened with. */
export interface ToolSourceOptions {
  readonly logger: Logger;
  /** Of the configuration: no address that a tool visits and no result may hold them. */
  readonly secrets: readonly Secret[];
  /** Stops the opening. */
  readonly signal?: AbortSignal | undefined;
  /** Asked where something that is configured cannot be had; without leave its error is thrown. @default never */
  readonly acceptFault?: AcceptFault | undefined;
}
