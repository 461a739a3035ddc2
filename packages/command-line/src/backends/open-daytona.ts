import { createDaytonaBackend } from '@talaria/terminal-backends/daytona';
import type { OpenedBackend } from './open-backend.ts';
import { type BackendSource, listOrAny, secretOf, sharedOptions, toMs } from './shared-options.ts';

/** Creates the daytona backend from settings. */
export function openDaytona(source: BackendSource): OpenedBackend {
  const { config, tellImage } = source;
  const { daytona } = config;
  const backend = createDaytonaBackend({
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
  });
  return {
    ...backend,
    // Daytona cannot be asked whether an image exists: to know, it has to make a sandbox.
    preflight: ({ mode, ...options } = {}) =>
      backend.preflight({ ...options, mode: mode === 'start' ? 'start' : 'key' }),
  };
}
