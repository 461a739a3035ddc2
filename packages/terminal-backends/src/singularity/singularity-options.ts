import { isAbsolute } from 'node:path';
import { ConfigError, type Secret } from '@talaria/core';
import type { BackendOptions } from '../backend-options.ts';

/** A folder or file of this machine that sandboxes see. */
export interface SingularityMount {
  /** Absolute path on this machine, without `:` and `,`; it must exist. */
  readonly source: string;
  /** Absolute path in the sandbox, without `:` and `,`. */
  readonly target: string;
  /** @default true */
  readonly isReadOnly?: boolean | undefined;
}

/** How the files of an image are made such that they can be changed. */
export type WritableMode =
  /** Changes lie in a folder over the image: nothing is copied, and the disk is the limit. */
  | 'overlay'
  /** The image is unpacked into a folder for each sandbox. */
  | 'sandbox'
  /** Changes lie in a file with a file system of its own: `diskMiB` is its size. `/tmp` and `/var/tmp` lie elsewhere. */
  | 'overlay-image'
  /** Changes lie in memory, with the limit of the program's own settings: 64 MiB mostly. */
  | 'tmpfs';

/** What a build of an image tells as it goes on. */
export interface BuildProgress {
  readonly image: string;
  /** One line, without its end. */
  readonly text: string;
}

/** Options of {@link createSingularityBackend}. */
export interface SingularityBackendOptions extends BackendOptions {
  /**
   * Variables of the host. The program gets `PATH`, `HOME`, `USER` and those by which it finds its own files; a sandbox gets
   * those that `passthrough` names.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Name or absolute path of the program. @default `apptainer`, else `singularity` */
  readonly program?: string | undefined;
  /**
   * Image where the spec names none: path of a `.sif` file, of an unpacked image or of a definition file (`.def`), or a
   * reference such as `docker://debian:12`, `docker-archive:/FILE`, `docker-daemon:NAME:TAG`. A name alone is one of a
   * Docker registry. @default none: the spec must
   */
  readonly image?: string | undefined;
  /** Absolute folder for images that were built. @default `images` in `stateFolder` */
  readonly cacheFolder?: string | undefined;
  /** Absolute folder for the files of sandboxes; not on a network file system. @default in `stateFolder` */
  readonly scratchFolder?: string | undefined;
  /** Login for the registry that images are built from. @default none */
  readonly registryLogin?: { readonly username: string; readonly password: Secret } | undefined;
  /** Hears what builds of images tell. @default nobody */
  readonly onProgress?: ((progress: BuildProgress) => void) | undefined;
  /** Within which time an image must be built, in milliseconds. @default 1_800_000 */
  readonly buildTimeoutMs?: number | undefined;

  /** Start folder where the spec names none. @default the home folder */
  readonly cwd?: string | undefined;
  /** How sandboxes can change their files. @default the first of overlay, sandbox, overlay-image and tmpfs that works here; with `diskMiB`, first overlay-image */
  readonly writable?: WritableMode | undefined;
  /** Be root inside although one is not here. @default where this machine allows it */
  readonly fakeroot?: boolean | undefined;
  /** Show the graphics cards of NVIDIA. @default false */
  readonly nvidia?: boolean | undefined;
  /** Whether programs may reach the network where the spec does not say. @default true */
  readonly allowNetwork?: boolean | undefined;
  readonly mounts?: readonly SingularityMount[] | undefined;
  /** Most processes and threads of a sandbox, where the machine can limit them. @default 512 */
  readonly maxProcesses?: number | undefined;
}

/** Options of {@link SingularityBackend.preflight}. */
export interface SingularityPreflightOptions {
  /** Images that will be used; those that are references are built. @default that of the backend */
  readonly images?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws ConfigError `config.invalid` */
export function checkSingularityOptions(options: SingularityBackendOptions): void {
  const { stateFolder, cacheFolder, scratchFolder, mounts = [] } = options;
  for (const [name, folder] of Object.entries({ stateFolder, cacheFolder, scratchFolder })) {
    if (folder !== undefined && !isAbsolute(folder)) {
      throw invalidOption(`The option ${name} is ${JSON.stringify(folder)}`, 'Give an absolute path.');
    }
  }
  for (const { source, target } of mounts) {
    for (const path of [source, target]) {
      if (isAbsolute(path) && !/[:,]/.test(path)) continue;
      const hint = 'Give absolute paths without : and , (a link to the folder may have another name).';
      throw invalidOption(`The mount of ${JSON.stringify(path)} cannot be told to the program`, hint);
    }
  }
}

function invalidOption(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.invalid', hint });
}
