import { join } from 'node:path';
import { ConfigError } from '@talaria/core';
import type { SingularityConfig } from '@talaria/environments';
import {
  createSingularityBackend,
  type SingularityBackendOptions,
  type SingularityMount,
} from '@talaria/terminal-backends/singularity';
import type { Host } from '../host.ts';
import { stateFolder } from '../state-folder.ts';
import { measureFolders } from './disk-use.ts';
import { readVolume } from './host-volume.ts';
import { namedSecret } from './named-secret.ts';
import type { OpenedBackend, PreflightOptions } from './opened-backend.ts';
import { type BackendSource, hostPath, sharedOptions, toMs } from './shared-options.ts';

/** Creates the singularity backend from settings. */
export function openSingularity(source: BackendSource): OpenedBackend {
  const backend = createSingularityBackend(readSingularityOptions(source));
  async function preflight({ mode, ...options }: PreflightOptions = {}): Promise<void> {
    await Promise.all([backend.preflight(options), warnOfDisk(source)]);
    if (mode !== 'start') return;
    const { images = [source.config.image], signal } = options;
    for (const image of images) {
      await using sandbox = await backend.open({ taskId: 'preflight', image: image ?? undefined }, { signal });
      await sandbox.run('true', { signal });
    }
  }
  return { ...backend, preflight };
}

/** The options that settings stand for. */
export function readSingularityOptions(source: BackendSource): SingularityBackendOptions {
  const { host, config, tellImage } = source;
  const { singularity } = config;
  return {
    ...sharedOptions(source),
    program: singularity.program?.includes('/')
      ? hostPath(host, singularity.program)
      : (singularity.program ?? undefined),
    image: config.image ?? undefined,
    cacheFolder: hostPath(host, singularity.cache_dir),
    scratchFolder: hostPath(host, singularity.scratch_dir),
    registryLogin: readLogin(singularity, host),
    onProgress: ({ image }) => tellImage(image),
    buildTimeoutMs: toMs(singularity.build_timeout_sec),
    writable: singularity.writable ?? undefined,
    fakeroot: singularity.fakeroot ?? undefined,
    nvidia: singularity.nvidia,
    mounts: singularity.volumes.map((volume) => readMount(volume, host)),
    maxProcesses: singularity.max_processes,
  };
}

function readMount(volume: string, host: Host): SingularityMount {
  const { source, isPath, target, isReadOnly } = readVolume(volume, host);
  if (isPath) return { source, target, isReadOnly };
  throw new ConfigError(`${JSON.stringify(volume)} names a volume, and singularity has none`, {
    code: 'config.invalid',
    hint: `Give a path: ./${volume} or /…; terminal.singularity.volumes holds it.`,
  });
}

function readLogin(
  { registry_username: username, registry_password_variable: variable }: SingularityConfig,
  host: Host,
): SingularityBackendOptions['registryLogin'] {
  if (username === null && variable === null) return undefined;
  if (username !== null && variable !== null) {
    return { username, password: namedSecret(host, variable, 'terminal.singularity.registry_password_variable') };
  }
  throw new ConfigError('A login for a registry has a name and a password, and one of them is missing', {
    code: 'config.invalid',
    hint: 'Set terminal.singularity.registry_username and registry_password_variable, or neither.',
  });
}

/** On shared machines, what nobody looks at fills the disk of all. */
async function warnOfDisk({ host, config, logger }: BackendSource): Promise<void> {
  const { scratch_dir: scratch, cache_dir: cache, disk_warn_gb: limitGb } = config.singularity;
  const state = stateFolder(host, config.state_dir);
  const folders = [hostPath(host, scratch) ?? join(state, 'sandboxes'), hostPath(host, cache) ?? join(state, 'images')];
  const usedGb = await measureFolders(host, folders);
  if (usedGb === null || usedGb <= limitGb) return;
  const hint = 'Remove images that nobody needs; terminal.singularity.disk_warn_gb is the limit.';
  logger.warn('sandbox.disk-filling', { usedGb: Math.round(usedGb), limitGb, folders, hint });
}
