import { ConfigError, errorMessage, mapConcurrent } from '@talaria/core';

/** Options of a preflight that every backend with images has. */
export interface ImagePreflightOptions {
  /** Images that the tasks name. @default the one of the backend, if it has one */
  readonly images?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How the images of a run are checked. */
export interface ImageCheck extends ImagePreflightOptions {
  /** The image of the backend, taken where the tasks name none. */
  readonly own: string | undefined;
  /** Rejects where the image cannot be used. */
  check(image: string): Promise<void>;
  /** What to do about several that are wrong. */
  readonly hint: string;
}

const imagesAtOnce = 4;

/**
 * Checks each image once, a few at a time. One that is wrong fails with its own error, several with one list of all.
 * @throws ConfigError `config.missing-image`; whatever `check` rejects with; the signal's reason
 */
export async function checkImages(options: ImageCheck): Promise<void> {
  const { own, hint, signal } = options;
  const images = [...new Set(options.images ?? (own === undefined ? [] : [own]))];
  const faults = await mapConcurrent(
    images,
    imagesAtOnce,
    async (image) => {
      try {
        await options.check(image);
        return null;
      } catch (error) {
        signal?.throwIfAborted();
        return { image, error };
      }
    },
    { signal },
  );
  const wrong = faults.filter((fault) => fault !== null);
  const [first, ...others] = wrong;
  if (first === undefined) return;
  if (others.length === 0) throw first.error;
  const lines = wrong.map(({ image, error }) => `${image}: ${errorMessage(error)}`);
  throw new ConfigError(`${wrong.length} of ${images.length} images cannot be used:\n${lines.join('\n')}`, {
    code: 'config.missing-image',
    hint,
    cause: first.error,
  });
}
