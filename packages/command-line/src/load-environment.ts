import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, errorMessage, isTalariaError, nearestName, systemErrorCode, TaskError } from '@talaria/core';
import type { Environment } from '@talaria/environments';
import { environmentOfModule } from './environment-export.ts';
import type { Host } from './host.ts';
import { importFailure } from './import-failure.ts';
import { expandHome } from './state-folder.ts';

/** Environments that a program knows by name; each is loaded only when it is asked for. */
export type Builtins = Readonly<Record<string, () => Promise<Environment>>>;

/** Whether an argument means a file rather than a name. */
export function isFileTarget(target: string): boolean {
  return /^(\.{0,2}\/|~\/|\.\.?$)/.test(target) || /\.[cm]?[jt]s$/.test(target) || target.startsWith('file:');
}

/**
 * Loads an environment: one that the program brings, a file of the user's, or an installed package.
 * @throws ConfigError `config.unknown-environment`, `config.missing-file`, `config.no-environment`;
 * TaskError `task.environment-not-loaded` where the module cannot be imported, `task.environment-failed` where it throws
 */
export async function loadEnvironment(host: Host, target: string, builtins: Builtins): Promise<Environment> {
  const builtin = Object.hasOwn(builtins, target) ? builtins[target] : undefined;
  if (builtin !== undefined) return builtin();
  const loaded = isFileTarget(target) ? await importFile(host, target) : await importPackage(host, target, builtins);
  return environmentOfModule(loaded, target);
}

async function importFile(host: Host, target: string): Promise<unknown> {
  const path = resolve(host.cwd, expandHome(target.replace(/^file:\/\//, ''), host.homeFolder));
  await checkFile(path);
  try {
    return await host.importModule(pathToFileURL(path).href);
  } catch (error) {
    throw describeImportFailure(path, error);
  }
}

async function checkFile(path: string): Promise<void> {
  let isFile: boolean;
  try {
    isFile = (await stat(path)).isFile();
  } catch (error) {
    throw new ConfigError(`No environment file at ${path}: ${errorMessage(error)}`, {
      code: 'config.missing-file',
      hint: 'Check the path; it is taken relative to the folder in which you are.',
      cause: error,
    });
  }
  if (!isFile) {
    throw new ConfigError(`${path} is not a file`, {
      code: 'config.missing-file',
      hint: 'Name the file whose default export, or export named `environment`, is the environment.',
    });
  }
}

async function importPackage(host: Host, target: string, builtins: Builtins): Promise<unknown> {
  try {
    return await host.importModule(target);
  } catch (error) {
    const code = systemErrorCode(error);
    const isAbsent =
      code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND' || code === 'ERR_UNSUPPORTED_ESM_URL_SCHEME';
    if (!isAbsent || !errorMessage(error).includes(target)) throw describeImportFailure(target, error);
    const names = Object.keys(builtins);
    const nearest = nearestName(target, names, 3);
    throw new ConfigError(`Unknown environment "${target}": neither built in nor an installed package`, {
      code: 'config.unknown-environment',
      hint:
        nearest === undefined
          ? `Built in: ${names.join(', ') || 'none'}. A file of your own is named by its path: ./my-env.ts`
          : `Did you mean ${nearest}?`,
      cause: error,
    });
  }
}

const importHints: Readonly<Record<string, string>> = {
  ERR_MODULE_NOT_FOUND: 'Install what it imports, in the project that holds it.',
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX:
    'Node only takes types away: replace enums, namespaces and parameter properties, or compile the file first.',
  ERR_INVALID_TYPESCRIPT_SYNTAX: 'The file is not valid TypeScript.',
  ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING: 'An installed package has to hold JavaScript: compile it first.',
};

function describeImportFailure(name: string, error: unknown): unknown {
  if (isTalariaError(error)) return error;
  const hint = importHints[systemErrorCode(error) ?? ''] ?? 'The module itself failed: --verbose shows where.';
  return new TaskError(`Cannot load the environment ${name}: ${importFailure(error)}`, {
    code: 'task.environment-not-loaded',
    hint,
    cause: error,
  });
}
