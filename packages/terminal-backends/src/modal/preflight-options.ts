import type { ImagePreflightOptions } from '../preflight/check-images.ts';

/** Options of {@link ModalBackend.preflight}. */
export interface ModalPreflightOptions extends ImagePreflightOptions {
  /**
   * What to do with each: build it (Modal cannot be asked whether an image exists, so that `exists` and `pull` are the
   * same), or open a sandbox from it. @default 'exists'
   */
  readonly mode?: 'exists' | 'pull' | 'start' | undefined;
}
