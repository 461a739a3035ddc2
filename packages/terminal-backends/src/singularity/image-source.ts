import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ConfigError, contentHash } from '@talaria/core';
import { nullWhereMissing } from '../host-files/path-stats.ts';

/** Where an image comes from. */
export type ImageSource =
  /** Sandboxes can be started from it as it is. */
  | { readonly kind: 'ready'; readonly path: string }
  /** It is to be built from what the program calls `reference`; the same `fileName` is the same image. */
  | { readonly kind: 'build'; readonly reference: string; readonly fileName: string };

/** How a reference begins that says where an image comes from; anything else is a name, with or without a tag. */
const origin = /^(?:docker|oras|library|shub|https?):\/\/|^(?:docker-archive|docker-daemon|oci-archive|oci):/;
const maxNameLength = 60;

/** Finds out what an image is. @throws ConfigError `config.missing-image`, `config.invalid` */
export async function findImageSource(image: string): Promise<ImageSource> {
  if (isAbsolute(image)) {
    const stats = await stat(image).catch(nullWhereMissing);
    if (stats === null) throw missingImage(image);
    if (stats.isDirectory() || !image.endsWith('.def')) return { kind: 'ready', path: image };
    return { kind: 'build', reference: image, fileName: await nameOfFile(image, image) };
  }
  if (/^\.{0,2}\//.test(image) || /\.(?:sif|def)$/.test(image)) throw relativeImage(image);
  const reference = origin.test(image) ? image : `docker://${image}`;
  const archive = /^(?:docker|oci)-archive:(\/[^:]*)/.exec(reference)?.[1];
  return {
    kind: 'build',
    reference,
    fileName: archive === undefined ? fileNameOf(reference, '') : await nameOfFile(reference, archive),
  };
}

/** A file that has changed is another image. */
async function nameOfFile(reference: string, path: string): Promise<string> {
  const stats = await stat(path).catch(nullWhereMissing);
  if (stats === null) throw missingImage(path);
  return fileNameOf(reference, `${stats.size} ${stats.mtimeMs}`);
}

function fileNameOf(reference: string, version: string): string {
  const name = reference.replace(/[^A-Za-z0-9.]+/g, '-').slice(-maxNameLength);
  return `${contentHash({ reference, version }).slice(0, 32)}-${name}.sif`;
}

function missingImage(path: string): ConfigError {
  return new ConfigError(`The image ${path} does not exist`, {
    code: 'config.missing-image',
    hint: 'Correct its path, or build it: apptainer build FILE.sif docker://NAME.',
  });
}

function relativeImage(image: string): ConfigError {
  return new ConfigError(`The image ${image} is named by a relative path`, {
    code: 'config.invalid',
    hint: 'Give its absolute path.',
  });
}
