import { ConfigError, Secret } from '@talaria/core';
import type { Host } from '../host.ts';

/**
 * The secret in a variable that a setting names.
 * @throws ConfigError `config.missing-variable`
 */
export function namedSecret(host: Host, variable: string, setting: string): Secret {
  const value = host.variables[variable];
  if (value !== undefined && value !== '') return new Secret(variable, value);
  throw new ConfigError(`${setting} names the variable ${variable}, which is not set`, {
    code: 'config.missing-variable',
    hint: 'Set the variable, put it into a .env file, or take the setting away.',
  });
}
