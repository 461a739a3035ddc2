import { errorMessage, systemErrorCode } from '@talaria/core';
import type { TerminalConfig } from '@talaria/environments';
import { findOnPath } from '../find-on-path.ts';
import type { Host } from '../host.ts';
import { askDockerVersion, type DockerEndpoint } from './ask-docker-version.ts';
import { type BackendFinding, broken, missing, usable } from './backend-probe.ts';
import type { FindPeerPackage } from './find-package.ts';
import { judgePackage } from './judge-package.ts';

const defaultAddress = 'unix:///var/run/docker.sock';
const plainPort = 2375;
const tlsPort = 2376;
const startPodman =
  'systemctl --user enable --now podman.socket; export DOCKER_HOST=unix://$XDG_RUNTIME_DIR/podman/podman.sock';

/** Asks the engine for its version, and looks for the package. */
export async function probeDocker(
  host: Host,
  { docker }: TerminalConfig,
  findPeer: FindPeerPackage,
): Promise<BackendFinding> {
  const address = docker.host ?? (host.variables['DOCKER_HOST'] || defaultAddress);
  const found = await findPeer('dockerode');
  const fault = judgePackage(found);
  const endpoint = readEndpoint(address, host);
  const purpose = `sandboxes in containers, at ${address}`;
  // An engine behind TLS wants certificates: the backend knows how, a look from here does not.
  if (endpoint === null) return fault ?? usable(`dockerode ${found.version}`, purpose);
  let version: string;
  try {
    version = await askDockerVersion(endpoint);
  } catch (error) {
    return await explain(host, address, error);
  }
  return fault === null ? usable(version, purpose) : { ...fault, detail: `engine ${version} answers; ${fault.detail}` };
}

function readEndpoint(address: string, host: Host): DockerEndpoint | null {
  const socketPath = /^(?:unix:\/\/|npipe:\/\/)?(\/.+)$/u.exec(address)?.[1];
  if (socketPath !== undefined) return { socketPath };
  const full = address.includes('://') ? address : `tcp://${address}`;
  const url = URL.canParse(full) ? new URL(full) : null;
  const port = Number(url?.port || plainPort);
  const isSecure = url?.protocol === 'https:' || port === tlsPort || Boolean(host.variables['DOCKER_TLS_VERIFY']);
  if (url === null || isSecure || !/^(?:tcp|http):$/u.test(url.protocol)) return null;
  return { host: url.hostname, port };
}

async function explain(host: Host, address: string, error: unknown): Promise<BackendFinding> {
  const code = systemErrorCode(error);
  if (code === 'EACCES' || code === 'EPERM') {
    const hint = `sudo usermod -aG docker ${host.variables['USER'] ?? '$USER'} (then log in again; it is as good as root)`;
    return broken(`this user may not use the engine at ${address}`, hint);
  }
  if (
    address === defaultAddress &&
    (await findOnPath(host, 'dockerd')) === null &&
    (await findOnPath(host, 'docker')) === null
  ) {
    // It answers as a Docker engine does, at a socket of its own, once that is told to.
    if ((await findOnPath(host, 'podman')) !== null) return missing('sandboxes in containers, by Podman', startPodman);
    return missing('sandboxes in containers', 'apt-get install docker.io, or https://docs.docker.com/engine/install');
  }
  const reason = code === 'ENOENT' ? 'there is no such socket' : errorMessage(error) || code || 'it does not answer';
  return broken(`no engine answers at ${address}: ${reason}`, howToStart(address));
}

function howToStart(address: string): string {
  if (address === defaultAddress) return 'sudo systemctl start docker';
  return address.endsWith('/podman.sock') ? startPodman : 'Start it, or correct DOCKER_HOST (terminal.docker.host)';
}
