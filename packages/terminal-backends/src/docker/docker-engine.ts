import { ConfigError, raceAbort } from '@talaria/core';
import type Dockerode from 'dockerode';
import { readDockerAddress } from './docker-address.ts';
import { explainDockerError, unreachableError } from './docker-error.ts';
import type { DockerBackendOptions } from './docker-options.ts';
import { loadDockerode } from './load-dockerode.ts';

/** An engine that has answered. */
export interface DockerEngine {
  readonly client: Dockerode;
  /** Its address, for messages and records. */
  readonly host: string;
  readonly version: string;
  /** For example `linux/amd64`. */
  readonly platform: string;
}

const minApiVersion = 1.41;

/** Gives the engine; asked for the first time, it makes sure that it is there. */
export type ConnectDocker = (signal?: AbortSignal) => Promise<DockerEngine>;

/** Creates what connects once. A failure is not kept: the engine may be started meanwhile. */
export function createDockerConnector(
  options: Pick<DockerBackendOptions, 'host' | 'environment' | 'importDockerode'>,
): ConnectDocker {
  let connected: Promise<DockerEngine> | undefined;
  return (signal) => {
    signal?.throwIfAborted();
    connected ??= connect(options).catch((error: unknown) => {
      connected = undefined;
      throw error;
    });
    return raceAbort(connected, signal);
  };
}

async function connect(options: Parameters<typeof createDockerConnector>[0]): Promise<DockerEngine> {
  const Client = await loadDockerode(options.importDockerode);
  const address = await readDockerAddress(options.host, options.environment);
  const client = new Client(address.options);
  const { host } = address;
  try {
    const { ApiVersion, Version, Os, Arch } = await client.version();
    if (Number(ApiVersion) < minApiVersion) throw tooOldError(host, ApiVersion);
    return { client, host, version: Version, platform: `${Os}/${Arch}` };
  } catch (error) {
    throw explainDockerError(error, { action: 'tell its version', phase: 'create', host });
  }
}

function tooOldError(host: string, version: string): ConfigError {
  return new ConfigError(`The Docker engine at ${host} speaks version ${version} of its interface`, {
    code: 'config.unsupported',
    hint: `Update it: version ${minApiVersion} (Docker 20.10, Podman 4) is needed.`,
  });
}

/** Asks whether the engine still answers. @throws ConfigError `config.docker-unreachable` */
export async function pingDocker({ client, host }: DockerEngine): Promise<void> {
  try {
    await client.ping();
  } catch (error) {
    throw unreachableError(host, error);
  }
}
