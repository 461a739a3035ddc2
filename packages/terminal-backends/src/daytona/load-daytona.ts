import { ConfigError, errorMessage, systemErrorCode } from '@talaria/core';

/** What is used of the package. */
export type DaytonaSdk = Pick<typeof import('@daytona/sdk'), 'Daytona'>;

const packageName = '@daytona/sdk';

/**
 * Imports the optional peer. Any failure but its own absence passes through unchanged.
 * @throws ConfigError `config.missing-package`
 */
export async function loadDaytona(
  importPackage: () => Promise<DaytonaSdk> = () => import('@daytona/sdk'),
): Promise<DaytonaSdk> {
  try {
    return await importPackage();
  } catch (error) {
    const code = systemErrorCode(error);
    const isNotFound = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    if (!isNotFound || !errorMessage(error).includes(`'${packageName}'`)) throw error;
    throw new ConfigError(`The daytona backend needs the package "${packageName}", which is not installed`, {
      code: 'config.missing-package',
      hint: `Install it: npm install ${packageName}`,
      cause: error,
    });
  }
}
