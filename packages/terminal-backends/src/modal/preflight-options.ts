/** Options of {@link ModalBackend.preflight}. */
export interface ModalPreflightOptions {
  /** Images that the tasks name. @default the one of the backend, if it has one */
  readonly images?: readonly string[] | undefined;
  /**
   * What to do with each: build it (Modal cannot be asked whether an image exists, so that `exists` and `pull` are the
   * same), or open a sandbox from it. @default 'exists'
   */
  readonly mode?: 'exists' | 'pull' | 'start' | undefined;
  readonly signal?: AbortSignal | undefined;
}
