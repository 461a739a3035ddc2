import { type Clock, ConfigError, isAbortOf, openDeadline, raceAbort, systemClock } from '@talaria/core';
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
/** How long an engine may take to say that it is there. */
const maxAnswerMs = 30_000;

/** Gives the engine; asked for the first time, it makes sure that it is there. */
export type ConnectDocker = (signal?: AbortSignal) => Promise<DockerEngine>;

/** Creates what connects once. A failure is not kept: the engine may be started meanwhile. */
export function createDockerConnector(
  options: Pick<DockerBackendOptions, 'host' | 'environment' | 'importDockerode' | 'clock'>,
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
  using deadline = openDeadline(options.clock ?? systemClock, maxAnswerMs, undefined);
  try {
    const { ApiVersion, Version, Os, Arch } = await raceAbort(client.version(), deadline.signal);
    if (Number(ApiVersion) < minApiVersion) throw tooOldError(host, ApiVersion);
    return { client, host, version: Version, platform: `${Os}/${Arch}` };
  } catch (error) {
    if (deadline.isExpired()) throw unreachableError(host, error);
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
export async function pingDocker(
  { client, host }: DockerEngine,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | undefined },
): Promise<void> {
  using deadline = openDeadline(clock, maxAnswerMs, signal);
  try {
    await raceAbort(client.ping(), deadline.signal);
  } catch (error) {
    if (isAbortOf(error, signal)) throw error;
    throw unreachableError(host, error);
  }
}
