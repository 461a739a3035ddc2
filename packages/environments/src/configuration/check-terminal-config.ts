import { ConfigError, nearestName } from '@talaria/core';
import type { BackendKind } from '@talaria/terminal-backends';
import { backendKinds, hasImages } from './backend-kinds.ts';
import type { TerminalConfig } from './terminal-config.ts';

/**
 * Checks what one field of the section alone does not show; returns warnings.
 * @throws ConfigError `config.unknown-backend`, `config.backend-not-available`, `config.invalid`
 */
export function checkTerminalConfig(config: TerminalConfig, available: readonly BackendKind[]): readonly string[] {
  checkBackend(config.backend, available);
  if (config.backend === 'ssh' && !config.ssh.host) {
    throw new ConfigError('The ssh backend needs to know its server, and terminal.ssh.host is not set', {
      code: 'config.invalid',
      hint: 'Set it: --terminal.ssh.host HOST, or TERMINAL_SSH_HOST.',
    });
  }
  return checkImage(config);
}

/** @throws ConfigError `config.unknown-backend`, `config.backend-not-available` */
export function checkBackend(backend: string, available: readonly BackendKind[]): void {
  const kind = backendKinds.find((candidate) => candidate === backend);
  const here = `Available in this program: ${available.join(', ')}.`;
  if (kind === undefined) {
    const meant = nearestName(backend, backendKinds);
    throw new ConfigError(`Unknown terminal backend ${JSON.stringify(backend)}`, {
      code: 'config.unknown-backend',
      hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}There are ${backendKinds.join(', ')}. ${here}`,
    });
  }
  if (!available.includes(kind)) {
    throw new ConfigError(`The terminal backend ${kind} is not part of this version`, {
      code: 'config.backend-not-available',
      hint: here,
    });
  }
}

/** An image that nobody uses is a wrong belief about where commands run. */
function checkImage({ backend, image }: TerminalConfig): readonly string[] {
  if (image === null || hasImages(backend)) return [];
  return [`terminal.image has no effect: sandboxes of ${backend} come from no image`];
}
