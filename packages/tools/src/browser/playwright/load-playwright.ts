import { createRequire } from 'node:module';
import { ConfigError, isJsonObject } from '@talaria/core';

/** The package `playwright-core`, or one that offers the same. */
export type Playwright = Pick<typeof import('playwright-core'), 'chromium'>;

/** What is wrong with the optional peer, and what to do. */
export interface PackageProblem {
  readonly code: 'config.missing-package' | 'config.old-package';
  readonly message: string;
  readonly hint: string;
}

/** Imports the optional peer. @throws ConfigError `config.missing-package` or `config.old-package`; any other failure passes unchanged */
export async function loadPlaywright(): Promise<Playwright> {
  const problem = findPlaywrightProblem();
  if (problem === undefined) return await import('playwright-core');
  throw new ConfigError(problem.message, { code: problem.code, hint: problem.hint });
}

/** Whether the optional peer is there and new enough, without importing it; `undefined` where it is. */
export function findPlaywrightProblem(): PackageProblem | undefined {
  return judgePlaywright(installedVersion());
}

/**
 * Versions before 1.65 give the password of the proxy, and with it everything that the proxy lets through, to every website
 * that asks for one.
 */
export function judgePlaywright(version: string | undefined): PackageProblem | undefined {
  const hint = 'npm install playwright-core@^1.65.0';
  if (version === undefined) {
    return { code: 'config.missing-package', message: 'The package playwright-core is not installed', hint };
  }
  const [major = 0, minor = 0] = version.split('.', 2).map(Number);
  if (major > 1 || (major === 1 && minor >= 65)) return undefined;
  const message = `The package playwright-core is installed in version ${version}; 1.65.0 or later is needed`;
  return { code: 'config.old-package', message, hint };
}

function installedVersion(): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    const found: unknown = require('playwright-core/package.json');
    return isJsonObject(found) ? String(found['version']) : '';
  } catch {
    // Not found, which is the answer.
    return undefined;
  }
}
