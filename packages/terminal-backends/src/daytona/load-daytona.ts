import { ConfigError, errorMessage, systemErrorCode } from '@talaria/core';

/** What is used of the package. */
export type DaytonaSdk = Pick<typeof import('@daytona/sdk'), 'Daytona'>;

const packageName = '@daytona/sdk';

/**
 * Imports the optional peer. Any failure but its own absence passes through unchanged.
 * @throws ConfigError `config.missing-package`
 */
export async function loadDaytona(
  importPackage: () => Promise<unknown> = () => import('@daytona/sdk'),
): Promise<DaytonaSdk> {
  try {
    const found = await importPackage();
    if (isDaytonaSdk(found)) return found;
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
  throw new ConfigError(`The package "${packageName}" that was found is another one: it has no class Daytona`, {
    code: 'config.wrong-package',
    hint: `Install it: npm install ${packageName}`,
  });
}

function isDaytonaSdk(found: unknown): found is DaytonaSdk {
  return typeof found === 'object' && found !== null && 'Daytona' in found && typeof found.Daytona === 'function';
}
