import { createDaytonaBackend, type DaytonaBackendOptions } from '@talaria/terminal-backends/daytona';
import type { OpenedBackend } from './opened-backend.ts';
import { type BackendSource, listOrAny, secretOf, sharedOptions, toMs } from './shared-options.ts';

/** Creates the daytona backend from settings. */
export function openDaytona(source: BackendSource): OpenedBackend {
  const backend = createDaytonaBackend(readDaytonaOptions(source));
  return {
    ...backend,
    // Daytona cannot be asked whether an image exists: to know, it has to make a sandbox.
    preflight: ({ mode, ...options } = {}) =>
      backend.preflight({ ...options, mode: mode === 'start' ? 'start' : 'key' }),
  };
}

/** The options that settings stand for. */
export function readDaytonaOptions(source: BackendSource): DaytonaBackendOptions {
  const { config, tellImage } = source;
  const { daytona } = config;
  return {
    ...sharedOptions(source),
    apiKey: secretOf('terminal.daytona.api_key', daytona.api_key),
    apiUrl: daytona.api_url ?? undefined,
    target: daytona.target ?? undefined,
    image: config.image ?? undefined,
    user: daytona.user ?? undefined,
    networkAllowList: listOrAny(daytona.allowed_cidrs),
    domainAllowList: listOrAny(daytona.allowed_domains),
    maxDiskGiB: daytona.max_disk_gb,
    createTimeoutMs: toMs(daytona.create_timeout_sec),
    onBuildLog: ({ image }) => tellImage(image),
  };
}
