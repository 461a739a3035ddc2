import type { TerminalBackend } from '@talaria/terminal-backends';

/** What is asked of a backend before a run. */
export interface PreflightOptions {
  /** Images that the tasks name. @default the one of the configuration, where the backend has images */
  readonly images?: readonly string[] | undefined;
  /** What to do with each. @default 'exists' */
  readonly mode?: 'exists' | 'pull' | 'start' | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A backend as programs use it: the images of a preflight mean something where it has images. */
export interface OpenedBackend extends TerminalBackend {
  preflight(options?: PreflightOptions): Promise<void>;
}
