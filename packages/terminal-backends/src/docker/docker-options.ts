import { isAbsolute } from 'node:path';
import { ConfigError, type Secret } from '@talaria/core';
import type { BackendOptions } from '../backend-options.ts';

/** Who may pull from a registry. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: Secret;
}

/** A folder, file or volume that containers see. */
export type DockerMount =
  | {
      readonly kind: 'bind';
      /** Absolute path of the engine's machine; it must exist. */
      readonly source: string;
      /** Absolute path in the container. */
      readonly target: string;
      /** @default true */
      readonly isReadOnly?: boolean | undefined;
    }
  | {
      readonly kind: 'volume';
      /** Name of the volume. */
      readonly source: string;
      readonly target: string;
      /** @default false */
      readonly isReadOnly?: boolean | undefined;
    }
  | {
      /** Memory: fast, gone with the container, counted as its memory. */
      readonly kind: 'tmpfs';
      readonly target: string;
      readonly sizeMiB?: number | undefined;
    };

/** Options of {@link createDockerBackend}. */
export interface DockerBackendOptions extends BackendOptions {
  /**
   * Variables of the host: `DOCKER_HOST`, `DOCKER_TLS_VERIFY` and `DOCKER_CERT_PATH` are read, and a sandbox gets those that
   * `passthrough` names.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The engine: `unix:///PATH`, `tcp://HOST:PORT`. @default `DOCKER_HOST`, else `unix:///var/run/docker.sock` */
  readonly host?: string | undefined;
  /** Image where the spec names none. @default none: the spec must */
  readonly image?: string | undefined;
  /** When to ask a registry for an image. @default 'missing' */
  readonly pull?: 'missing' | 'always' | 'never' | undefined;
  /** Logins by registry, for example `ghcr.io`; `docker.io` is Docker Hub. @default none */
  readonly registries?: Readonly<Record<string, RegistryLogin>> | undefined;
  /** For example `linux/amd64`. @default that of the engine */
  readonly platform?: string | undefined;
  /** Hears what pulls and builds of images tell. @default nobody */
  readonly onProgress?: ((progress: ImageProgress) => void) | undefined;

  /** Start folder where the spec names none; `'image'` is the one that the image names. @default the home folder */
  readonly cwd?: string | undefined;
  /** User of all processes, `NAME`, `UID` or `UID:GID`. @default that of the image */
  readonly user?: string | undefined;
  /** Network of containers that may use it. @default the engine's own */
  readonly network?: string | undefined;
  /** Whether programs may reach the network where the spec does not say. @default true */
  readonly allowNetwork?: boolean | undefined;
  readonly mounts?: readonly DockerMount[] | undefined;
  /** Let programs gain rights by their setuid bit (`sudo`, `su`, `ping`). @default false */
  readonly allowSetuid?: boolean | undefined;
  /** Most processes and threads of a container. @default 512 */
  readonly maxProcesses?: number | undefined;
  /** Limits of processes. A rootless engine may refuse those above its own. @default `nofile` 65,536 and `core` 0 */
  readonly ulimits?: Readonly<Record<string, { readonly soft: number; readonly hard: number }>> | undefined;
  /** Size of `/dev/shm`. @default 64 */
  readonly sharedMemoryMiB?: number | undefined;
  /** Fields of the engine's `HostConfig`, put over all others as they are. They can undo every protection. @default none */
  readonly hostConfig?: Readonly<Record<string, unknown>> | undefined;

  /** Gives the package `dockerode`, for programs that are bundled. @default it is imported */
  readonly importDockerode?: (() => Promise<unknown>) | undefined;
}

/** What a pull or a build tells as it goes on. */
export interface ImageProgress {
  readonly image: string;
  /** One line, without its end. */
  readonly text: string;
  /** Layer that it is about, in a pull. */
  readonly layer?: string | undefined;
  /** Bytes done and bytes in all, in a pull. */
  readonly doneBytes?: number | undefined;
  readonly totalBytes?: number | undefined;
}

/** What an image is built from. */
export interface BuildImageOptions {
  /** Absolute folder that the Dockerfile copies from. Its `.dockerignore` is heeded. */
  readonly context: string;
  /** Path of the Dockerfile inside the context. @default 'Dockerfile' */
  readonly dockerfile?: string | undefined;
  /** Name of the image, with its tag. */
  readonly tag: string;
  /** Values of `ARG`s. They can be read in the image: no place for secrets. @default none */
  readonly buildArgs?: Readonly<Record<string, string>> | undefined;
  /** Stage to build. @default the last */
  readonly target?: string | undefined;
  /** Network of its `RUN` lines. @default the engine's own */
  readonly network?: string | undefined;
  /** For example `linux/amd64`. @default that of the backend */
  readonly platform?: string | undefined;
  /** Hears each line of the log. @default that of the backend */
  readonly onProgress?: ((progress: ImageProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link DockerBackend.preflight}. */
export interface DockerPreflightOptions {
  /** Images that the tasks name. @default the one of the backend, if it has one */
  readonly images?: readonly string[] | undefined;
  /**
   * What to do with each: see whether it is there or its registry has it, bring it, or open a sandbox from it.
   * @default 'exists'
   */
  readonly mode?: 'exists' | 'pull' | 'start' | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Refuses what the engine would misread or refuse late. @throws ConfigError `config.invalid` */
export function checkDockerOptions({ stateFolder, mounts = [] }: DockerBackendOptions): void {
  requireAbsolute('state folder of the docker backend', stateFolder);
  for (const mount of mounts) {
    requireAbsolute('mount target', mount.target);
    if (mount.kind === 'bind') requireAbsolute('mount source', mount.source);
  }
}

function requireAbsolute(what: string, path: string): void {
  if (isAbsolute(path)) return;
  throw new ConfigError(`The ${what} ${JSON.stringify(path)} is not absolute`, {
    code: 'config.invalid',
    hint: 'Give a path that starts with /.',
  });
}
