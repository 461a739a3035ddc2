import { createRequire } from 'node:module';
import { ConfigError, errorMessage, systemErrorCode } from '@talaria/core';

/** The package `playwright-core`, or one that offers the same. */
export type Playwright = Pick<typeof import('playwright-core'), 'chromium'>;

/** Imports the optional peer. @throws ConfigError `config.missing-package`; any other failure passes unchanged */
export async function loadPlaywright(): Promise<Playwright> {
  try {
    return await import('playwright-core');
  } catch (error) {
    const code = systemErrorCode(error);
    const isNotFound = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    if (!isNotFound || !errorMessage(error).includes("'playwright-core'")) throw error;
    throw new ConfigError('The package "playwright-core" is not installed', {
      code: 'config.missing-package',
      hint: 'Install it: npm install playwright-core',
      cause: error,
    });
  }
}

/** Whether the optional peer is there, without importing it. */
export function isPlaywrightInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('playwright-core/package.json');
    return true;
  } catch {
    // Not found, which is the answer.
    return false;
  }
}
