import { ConfigError, errorMessage, systemErrorCode } from '@talaria/core';

/** What is used of the package. */
export type Ssh2 = Pick<typeof import('ssh2'), 'Client' | 'utils'>;

/**
 * Imports the optional peer. Any failure but its own absence passes through unchanged.
 * @throws ConfigError `config.missing-package`
 */
export async function loadSsh2(
  importPackage: () => Promise<{ readonly default: Ssh2 }> = () => import('ssh2'),
): Promise<Ssh2> {
  try {
    return (await importPackage()).default;
  } catch (error) {
    const code = systemErrorCode(error);
    const isNotFound = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    if (!isNotFound || !errorMessage(error).includes("'ssh2'")) throw error;
    throw new ConfigError('The ssh backend needs the package "ssh2", which is not installed', {
      code: 'config.missing-package',
      hint: 'Install it: npm install ssh2',
      cause: error,
    });
  }
}
