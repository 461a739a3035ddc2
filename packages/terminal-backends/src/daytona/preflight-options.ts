/** Options of {@link DaytonaBackend.preflight}. */
export interface DaytonaPreflightOptions {
  /** Images that the tasks name. @default the one of the backend, if it has one */
  readonly images?: readonly string[] | undefined;
  /**
   * Whether to open a sandbox from each: Daytona cannot tell otherwise whether it has an image, and builds it at the same
   * time. `key` tries only the key. @default 'key'
   */
  readonly mode?: 'key' | 'start' | undefined;
  readonly signal?: AbortSignal | undefined;
}
