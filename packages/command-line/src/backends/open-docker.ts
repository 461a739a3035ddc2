import { userInfo } from 'node:os';
import { type DockerConfig, ulimitPattern } from '@talaria/environments';
import {
  createDockerBackend,
  type DockerBackendOptions,
  type DockerMount,
  type RegistryLogin,
} from '@talaria/terminal-backends/docker';
import type { Host } from '../host.ts';
import { readVolume } from './host-volume.ts';
import { namedSecret } from './named-secret.ts';
import type { OpenedBackend } from './opened-backend.ts';
import { type BackendSource, sharedOptions } from './shared-options.ts';

/** Where `terminal.docker.mount_cwd` shows the folder of the program. */
const workspace = '/workspace';

/** Creates the docker backend from settings. */
export function openDocker(source: BackendSource): OpenedBackend {
  return createDockerBackend(readDockerOptions(source));
}

/** The options that settings stand for. */
export function readDockerOptions(source: BackendSource): DockerBackendOptions {
  const { host, config, tellImage } = source;
  const { docker } = config;
  return {
    ...sharedOptions(source),
    host: docker.host ?? undefined,
    image: config.image ?? undefined,
    pull: docker.pull,
    registries: readRegistries(docker, host),
    platform: docker.platform ?? undefined,
    onProgress: ({ image }) => tellImage(image),
    cwd: config.cwd ?? (docker.mount_cwd ? workspace : undefined),
    user: docker.user === 'host' ? hostUser() : (docker.user ?? undefined),
    network: docker.network ?? undefined,
    mounts: readMounts(docker, host),
    allowSetuid: docker.allow_setuid,
    maxProcesses: docker.max_processes,
    ulimits: readUlimits(docker),
    sharedMemoryMiB: docker.shared_memory_mb,
    hostConfig: docker.host_config,
  };
}

/** Whoever runs the program, as the engine names a user. */
function hostUser(): string {
  const { uid, gid } = userInfo();
  return `${uid}:${gid}`;
}

function readMounts({ volumes, mount_cwd: mountCwd }: DockerConfig, host: Host): readonly DockerMount[] {
  const mounts = volumes.map((volume) => readMount(volume, host));
  if (!mountCwd) return mounts;
  return [...mounts, { kind: 'bind', source: host.cwd, target: workspace, isReadOnly: false }];
}

function readMount(volume: string, host: Host): DockerMount {
  const { isPath, ...mount } = readVolume(volume, host);
  return { kind: isPath ? 'bind' : 'volume', ...mount };
}

function readUlimits({ ulimits }: DockerConfig): DockerBackendOptions['ulimits'] {
  if (ulimits === null) return undefined;
  return Object.fromEntries(
    ulimits.map((ulimit) => {
      const [, name = '', soft = '', hard = soft] = ulimitPattern.exec(ulimit) ?? [];
      return [name, { soft: Number(soft), hard: Number(hard) }];
    }),
  );
}

function readRegistries({ registries }: DockerConfig, host: Host): Readonly<Record<string, RegistryLogin>> {
  return Object.fromEntries(
    registries.map(({ server, username, password_variable: variable }) => {
      const setting = `The login for ${server} in terminal.docker.registries`;
      return [server, { username, password: namedSecret(host, variable, setting) }];
    }),
  );
}
