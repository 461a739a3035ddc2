import type { ImagePreflightOptions } from '../preflight/check-images.ts';

/** Options of {@link DaytonaBackend.preflight}. */
export interface DaytonaPreflightOptions extends ImagePreflightOptions {
  /**
   * Whether to open a sandbox from each: Daytona cannot tell otherwise whether it has an image, and builds it at the same
   * time. `key` tries only the key. @default 'key'
   */
  readonly mode?: 'key' | 'start' | undefined;
}
