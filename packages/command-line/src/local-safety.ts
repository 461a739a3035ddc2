import { ConfigError } from '@talaria/core';

/** What decides whether commands may run on this machine. */
export interface LocalSafetyRequest {
  readonly environmentName: string;
  /** What the environment says of itself. */
  readonly isLocalSafe: boolean;
  /** Its kind. */
  readonly backend: string;
  /** `terminal.allow_local`. */
  readonly allowLocal: boolean;
}

/**
 * Decides whether the model's commands may run on this machine without a container; returns a warning, or null.
 * @throws ConfigError `config.local-not-allowed` where nobody allowed it
 */
export function checkLocalSafety(request: LocalSafetyRequest): string | null {
  const { environmentName, isLocalSafe, backend, allowLocal } = request;
  if (backend !== 'local' || isLocalSafe) return null;
  if (allowLocal) {
    return 'The model’s commands run on this machine, as your user, without a container: they can do whatever you can.';
  }
  throw new ConfigError(`${environmentName} would run the model’s commands on this machine without a container`, {
    code: 'config.local-not-allowed',
    hint: 'Choose another backend, allow it with --allow-local (terminal.allow_local: true), or declare the environment isLocalSafe.',
  });
}
