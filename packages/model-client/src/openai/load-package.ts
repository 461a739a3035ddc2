import { ConfigError, errorMessage, systemErrorCode } from '@talaria/core';

/**
 * Imports an optional peer. Any failure but the package's own absence passes through unchanged.
 * @throws ConfigError `config.missing-package`
 */
export async function loadPackage<Module>(
  packageName: string,
  importPackage: () => Promise<Module>,
  wantedRange: string,
): Promise<Module> {
  try {
    return await importPackage();
  } catch (error) {
    const code = systemErrorCode(error);
    const isNotFound = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    if (!isNotFound || !errorMessage(error).includes(`'${packageName}'`)) throw error;
    throw new ConfigError(`The package "${packageName}" is not installed`, {
      code: 'config.missing-package',
      hint: `Install it: npm install ${packageName}@${wantedRange}`,
      cause: error,
    });
  }
}
