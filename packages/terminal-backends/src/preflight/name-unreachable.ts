import { ConfigError, isTalariaError } from '@talaria/core';

/** A service that cannot be reached is, before a run, the user's to mend; any other error stays as it is. */
export function nameUnreachable(error: unknown, code: `config.${string}`): unknown {
  if (!isTalariaError(error) || error.code !== 'sandbox.unreachable') return error;
  return new ConfigError(error.message, { code, hint: error.hint, cause: error });
}
