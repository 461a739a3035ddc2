import { ConfigError, errorMessage, systemErrorCode } from '@talaria/core';
import type Dockerode from 'dockerode';

/** Imports the client. @throws ConfigError `config.missing-package` where it is not installed */
export async function loadDockerode(load: () => Promise<unknown> = importDockerode): Promise<typeof Dockerode> {
  const module = await load().catch((error: unknown) => {
    throw isNotInstalled(error) ? missingPackage(error) : error;
  });
  const client = typeof module === 'object' && module !== null && 'default' in module ? module.default : module;
  if (isDockerode(client)) return client;
  throw missingPackage(new Error('What was imported is not dockerode'));
}

function importDockerode(): Promise<unknown> {
  return import('dockerode');
}

/** Only this very package: a fault inside it is told as it is. */
function isNotInstalled(error: unknown): boolean {
  const code = systemErrorCode(error);
  const isNotFound = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  return isNotFound && /['"]dockerode['"]/.test(errorMessage(error));
}

function isDockerode(value: unknown): value is typeof Dockerode {
  return typeof value === 'function' && typeof value.prototype?.createContainer === 'function';
}

function missingPackage(cause: unknown): ConfigError {
  return new ConfigError('The docker backend needs the package dockerode, which is not installed', {
    code: 'config.missing-package',
    hint: 'Run: npm install dockerode',
    cause,
  });
}
