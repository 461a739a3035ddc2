import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, errorMessage, systemErrorCode } from '@talaria/core';
import type Dockerode from 'dockerode';

/** Options of the client; its types leave the prefix out. */
export type ClientOptions = Dockerode.DockerOptions & { readonly pathPrefix?: string | undefined };

/** Where an engine is. */
export interface DockerAddress {
  /** For messages and records: `unix:///var/run/docker.sock`, `tcp://10.0.0.5:2376`, … */
  readonly host: string;
  /** For the client. Whatever it would else take from the variables of this process is named. */
  readonly options: ClientOptions;
}

type Variables = Readonly<Record<string, string | undefined>>;

const defaultHost = 'unix:///var/run/docker.sock';
const plainPort = 2375;
const tlsPort = '2376';

/** Reads an address as `DOCKER_HOST` has it. @throws ConfigError `config.invalid`, `config.unsupported` */
export async function readDockerAddress(given: string | undefined, environment: Variables): Promise<DockerAddress> {
  const text = given ?? (environment['DOCKER_HOST'] || defaultHost);
  const host = text.startsWith('/') ? `unix://${text}` : text.includes('://') ? text : `tcp://${text}`;
  const socketPath = socketPathOf(host);
  if (socketPath !== undefined) return { host, options: { ...named, socketPath, protocol: 'http' } };
  const url = URL.canParse(host) ? new URL(host) : null;
  if (url?.protocol === 'ssh:') {
    throw new ConfigError(`The engine at ${host} is to be reached through ssh, which takes a connection per request`, {
      code: 'config.unsupported',
      hint: 'Forward its socket (ssh -NL /tmp/docker.sock:/var/run/docker.sock HOST) and set DOCKER_HOST=unix:///tmp/docker.sock.',
    });
  }
  if (url === null || !/^(?:tcp|https?):$/.test(url.protocol) || url.hostname === '') {
    throw new ConfigError(`${JSON.stringify(text)} is no address of a Docker engine`, {
      code: 'config.invalid',
      hint: 'Give DOCKER_HOST (terminal.docker.host) as unix:///PATH or tcp://HOST:PORT.',
    });
  }
  const isSecure = url.protocol === 'https:' || url.port === tlsPort || Boolean(environment['DOCKER_TLS_VERIFY']);
  return {
    host,
    options: {
      ...named,
      host: url.hostname,
      port: Number(url.port) || (isSecure ? Number(tlsPort) : plainPort),
      protocol: isSecure ? 'https' : 'http',
      pathPrefix: url.pathname,
      ...(isSecure ? await readCertificates(environment['DOCKER_CERT_PATH']) : {}),
    },
  };
}

/** The socket of an engine on this machine; `undefined` for any other address. */
export function socketPathOf(host: string): string | undefined {
  return /^(?:unix|npipe):\/\/(.+)$/.exec(host)?.[1];
}

/** The client merges these over what it finds in the variables of the process. */
const named: ClientOptions = Object.fromEntries(
  ['host', 'port', 'protocol', 'socketPath', 'ca', 'cert', 'key', 'username', 'timeout'].map((name) => [
    name,
    undefined,
  ]),
);

async function readCertificates(folder: string | undefined): Promise<Pick<ClientOptions, 'ca' | 'cert' | 'key'>> {
  if (!folder) return {};
  try {
    const [ca, cert, key] = await Promise.all(
      ['ca', 'cert', 'key'].map((name) => readFile(join(folder, `${name}.pem`))),
    );
    return { ca: ca?.toString(), cert: cert?.toString(), key: key?.toString() };
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    throw new ConfigError(`The certificates of the Docker engine cannot be read: ${errorMessage(error)}`, {
      code: 'config.invalid',
      hint: 'Let DOCKER_CERT_PATH name a folder with ca.pem, cert.pem and key.pem.',
      cause: error,
    });
  }
}
