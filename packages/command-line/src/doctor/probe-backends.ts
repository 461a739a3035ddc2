import { mapConcurrent } from '@talaria/core';
import { backendKinds, resolveTerminalConfig } from '@talaria/environments';
import type { BackendKind } from '@talaria/terminal-backends';
import type { ConfigFile } from '../config-file.ts';
import type { Host } from '../host.ts';
import { describeError } from '../report-error.ts';
import type { BackendProbe } from './backend-probe.ts';
import { findPeerPackage } from './find-package.ts';
import type { Finding } from './finding.ts';
import { probeDaytona } from './probe-daytona.ts';
import { probeDocker } from './probe-docker.ts';
import { probeLocal } from './probe-local.ts';
import { probeModal } from './probe-modal.ts';
import { probeSingularity } from './probe-singularity.ts';
import { probeSsh } from './probe-ssh.ts';

const probes: Readonly<Record<BackendKind, BackendProbe>> = {
  local: probeLocal,
  docker: probeDocker,
  ssh: probeSsh,
  modal: probeModal,
  singularity: probeSingularity,
  daytona: probeDaytona,
};

/** Looks at all backends, as the variables and the file configure them. The one that runs would use has to work. */
export async function probeBackends(host: Host, file: ConfigFile | undefined): Promise<readonly Finding[]> {
  const configured = configuredBackend(host, file);
  return await mapConcurrent(backendKinds, backendKinds.length, async (kind): Promise<Finding> => {
    const base = { name: kind, isRequired: kind === configured };
    try {
      const { config } = resolveTerminalConfig({ variables: host.variables, yaml: file, backend: kind });
      return { ...base, ...(await probes[kind](host, config, (name) => findPeerPackage(name))) };
    } catch (error) {
      const { message, hint } = describeError(error);
      return { ...base, status: 'broken', detail: message, hint };
    }
  });
}

/** What is wrong with the configuration is told beside the backend that it belongs to. */
function configuredBackend(host: Host, file: ConfigFile | undefined): string {
  try {
    return resolveTerminalConfig({ variables: host.variables, yaml: file }).config.backend;
  } catch {
    return host.variables['TERMINAL_ENV'] ?? 'local';
  }
}
