import { z } from 'zod';
import type { SchemaOf } from '../environment-config.ts';
import { flag, optionalText, wholeNumber } from '../field-schemas.ts';

/** Who may pull from a registry. */
export type RegistryConfig = {
  /** For example `ghcr.io`; `docker.io` is Docker Hub. */
  readonly server: string;
  readonly username: string;
  /** Name of the variable that holds the password or token. */
  readonly password_variable: string;
};

/** The section `terminal.docker`. */
export type DockerConfig = {
  /** `unix:///PATH` or `tcp://HOST:PORT`; `null`: `DOCKER_HOST`, else the usual socket. */
  readonly host: string | null;
  /** `NAME`, `UID`, `UID:GID`, or `host`: the user that runs the program; `null`: that of the image. */
  readonly user: string | null;
  /** Network of containers that may use it; `null`: the engine's own. */
  readonly network: string | null;
  /** `SOURCE:/TARGET[:ro]`; a source without a slash is a volume. */
  readonly volumes: readonly string[];
  /** Show the folder of the program as `/workspace`, and start commands there. */
  readonly mount_cwd: boolean;
  readonly allow_setuid: boolean;
  /** For example `linux/amd64`; `null`: that of the engine. */
  readonly platform: string | null;
  readonly pull: 'missing' | 'always' | 'never';
  readonly registries: readonly RegistryConfig[];
  /** Most processes and threads of a container. */
  readonly max_processes: number;
  /** Limits of processes, `NAME=SOFT[:HARD]`; `null`: `nofile` 65,536 and `core` 0, as far as the engine can. */
  readonly ulimits: readonly string[] | null;
  /** Size of `/dev/shm`. */
  readonly shared_memory_mb: number;
  /** Fields of the engine's `HostConfig`, put over all others as they are. */
  readonly host_config: Readonly<Record<string, unknown>>;
};

/** How an entry of `terminal.docker.volumes` is taken apart: source, target, mode. */
export const volumePattern: RegExp = /^([^:]+):(\/[^:]*)(?::(ro|rw))?$/u;

/** How an entry of `terminal.docker.ulimits` is taken apart: name, soft limit, hard limit. */
export const ulimitPattern: RegExp = /^([a-z]+)=(-1|\d+)(?::(-1|\d+))?$/u;

/** Schema of the section `terminal.docker`. */
export const dockerConfigSchema: SchemaOf<DockerConfig> = z
  .strictObject({
    host: optionalText('The engine: unix:///PATH or tcp://HOST:PORT; null: DOCKER_HOST, else the usual socket.'),
    user: optionalText('NAME, UID, UID:GID, or host for your own user; null: that of the image.'),
    network: optionalText('Network of containers that may use one; null: the default of the engine.'),
    volumes: z
      .array(z.string().regex(volumePattern, 'Expected SOURCE:/TARGET or SOURCE:/TARGET:ro'))
      .default([])
      .describe('Folders and volumes that containers see: SOURCE:/TARGET[:ro].'),
    mount_cwd: flag(false, 'Show the folder in which you are as /workspace, writable, and start commands there.'),
    allow_setuid: flag(false, 'Let programs gain rights by their setuid bit: sudo, su, ping.'),
    platform: optionalText('For example linux/amd64; null: that of the engine.'),
    pull: z.enum(['missing', 'always', 'never']).default('missing').describe('When to ask a registry for an image.'),
    registries: z
      .array(
        z.strictObject({
          server: z.string().min(1),
          username: z.string().min(1),
          password_variable: z.string().min(1),
        }),
      )
      .default([])
      .describe('Logins: { server, username, password_variable }; the last is the name of a variable.'),
    max_processes: wholeNumber(512, 'Most processes and threads of a container.', 1),
    ulimits: z
      .array(z.string().regex(ulimitPattern, 'Expected NAME=SOFT or NAME=SOFT:HARD'))
      .nullable()
      .default(null)
      .describe('Limits of processes, for example nofile=1024:4096; null: nofile=65536 and core=0, where possible.'),
    shared_memory_mb: wholeNumber(64, 'Size of /dev/shm in MiB.', 1),
    host_config: z
      .record(z.string(), z.json())
      .default({})
      .describe('Fields of HostConfig of the engine, put over all others. They can undo every protection.'),
  })
  .describe('containers of a Docker Engine, or of Podman');
