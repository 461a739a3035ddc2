import { ConfigError, errorMessage, systemErrorCode } from '@talaria/core';

/** What is used of the package. */
export type ModalSdk = Pick<typeof import('modal'), 'ModalClient'>;

/**
 * Imports the SDK. Any failure but its own absence, and that of another package with its name, passes through unchanged.
 * @throws ConfigError `config.missing-package`, `config.wrong-package`
 */
export async function loadModal(load: () => Promise<unknown> = importModal): Promise<ModalSdk> {
  const module = await load().catch((error: unknown) => {
    throw explainImport(error);
  });
  if (isModalSdk(module)) return module;
  throw wrongPackage(undefined);
}

function importModal(): Promise<unknown> {
  return import('modal');
}

function isModalSdk(module: unknown): module is ModalSdk {
  if (typeof module !== 'object' || module === null || !('ModalClient' in module)) return false;
  return typeof module.ModalClient === 'function';
}

function explainImport(error: unknown): unknown {
  const code = systemErrorCode(error);
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return error;
  const message = errorMessage(error);
  // The other package needs a template engine that it does not name, so that it cannot even be imported.
  if (/['"]jade\//.test(message)) return wrongPackage(error);
  return /['"]modal['"]/.test(message) ? missingPackage(error) : error;
}

const install = 'Run: npm install modal@^0.11';

function missingPackage(cause: unknown): ConfigError {
  return new ConfigError('The modal backend needs the package "modal", which is not installed', {
    code: 'config.missing-package',
    hint: install,
    cause,
  });
}

function wrongPackage(cause: unknown): ConfigError {
  return new ConfigError(
    'The installed package "modal" is not the SDK of Modal: it has no ModalClient. Version 1.2.0 is a dialogue for web pages that had the name before.',
    { code: 'config.wrong-package', hint: install, cause },
  );
}
