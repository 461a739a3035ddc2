import { assertNever, ConfigError, type Logger } from '@talaria/core';
import { backendKinds, type TerminalConfig } from '@talaria/environments';
import type { BackendKind } from '@talaria/terminal-backends';
import type { Host } from '../host.ts';
import { createImageTeller } from './image-teller.ts';
import type { OpenedBackend } from './opened-backend.ts';
import type { BackendSource } from './shared-options.ts';

/** What {@link openBackend} may be given beside the configuration. */
export interface OpenBackendOptions {
  readonly logger: Logger;
  /** Hears, in a line, that an image is being brought or built. @default nobody */
  readonly tell?: ((line: string) => void) | undefined;
}

/**
 * Creates the backend that the configuration names: the one place where settings become options. Only the code of that
 * backend is loaded, and nothing is connected to.
 * @throws ConfigError where settings do not fit
 */
export async function openBackend(
  host: Host,
  config: TerminalConfig,
  { logger, tell = () => undefined }: OpenBackendOptions,
): Promise<OpenedBackend> {
  const source: BackendSource = { host, config, logger, tellImage: createImageTeller(tell) };
  const kind = kindOf(config.backend);
  switch (kind) {
    case 'local':
      return (await import('./open-local.ts')).openLocal(source);
    case 'docker':
      return (await import('./open-docker.ts')).openDocker(source);
    case 'ssh':
      return (await import('./open-ssh.ts')).openSsh(source);
    case 'modal':
      return (await import('./open-modal.ts')).openModal(source);
    case 'daytona':
      return (await import('./open-daytona.ts')).openDaytona(source);
    case 'singularity':
      return (await import('./open-singularity.ts')).openSingularity(source);
    default:
      return assertNever(kind);
  }
}

/** The configuration was checked for this already, but its type does not say so. */
function kindOf(backend: string): BackendKind {
  const kind = backendKinds.find((candidate) => candidate === backend);
  if (kind !== undefined) return kind;
  throw new ConfigError(`Unknown terminal backend ${JSON.stringify(backend)}`, {
    code: 'config.unknown-backend',
    hint: `There are ${backendKinds.join(', ')}.`,
  });
}
