import { createModalBackend, type ModalBackendOptions } from '@talaria/terminal-backends/modal';
import type { OpenedBackend } from './opened-backend.ts';
import { type BackendSource, listOrAny, secretOf, sharedOptions, toMs } from './shared-options.ts';

/** Creates the modal backend from settings. */
export function openModal(source: BackendSource): OpenedBackend {
  return createModalBackend(readModalOptions(source));
}

/** The options that settings stand for. */
export function readModalOptions(source: BackendSource): ModalBackendOptions {
  const { config } = source;
  const { modal } = config;
  return {
    ...sharedOptions(source),
    tokenId: modal.token_id ?? undefined,
    tokenSecret: secretOf('terminal.modal.token_secret', modal.token_secret),
    environmentName: modal.environment ?? undefined,
    appName: modal.app_name,
    image: config.image ?? undefined,
    registrySecret: modal.registry_secret ?? undefined,
    setupCommands: modal.setup_commands,
    cpuLimit: modal.cpu_limit ?? undefined,
    memoryLimitMiB: modal.memory_limit_mb ?? undefined,
    gpu: modal.gpu ?? undefined,
    allowedCidrs: listOrAny(modal.allowed_cidrs),
    allowedDomains: listOrAny(modal.allowed_domains),
    regions: listOrAny(modal.regions),
    idleTimeoutMs: toMs(modal.idle_timeout_sec),
  };
}
