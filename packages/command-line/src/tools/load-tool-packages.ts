import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, errorMessage, type Logger, TaskError } from '@talaria/core';
import type { Tool } from '@talaria/tools';
import type { Host } from '../host.ts';
import { importFailure } from '../import-failure.ts';
import { isFileTarget } from '../load-environment.ts';
import { expandHome } from '../state-folder.ts';
import type { ToolSourceOptions } from './tool-source.ts';

/** What a package of tools may export instead of a list. */
type CreateTools = (options: {
  readonly variables: Host['variables'];
  readonly logger: Logger;
}) => readonly Tool[] | Promise<readonly Tool[]>;

/**
 * Loads the tools of packages and files: each exports `tools`, a list made with `defineTool`, or `createTools`, a function
 * that gives one.
 * @throws ConfigError `config.missing-tools` for what cannot be loaded or exports no tools; TaskError
 * `task.tools-failed` where its own code throws
 */
export async function loadToolPackages(
  host: Host,
  targets: readonly string[],
  { logger, acceptFault }: Pick<ToolSourceOptions, 'logger' | 'acceptFault'>,
): Promise<readonly Tool[]> {
  const loaded: Tool[] = [];
  for (const target of targets) {
    try {
      loaded.push(...(await loadTarget(host, target, logger)));
    } catch (error) {
      if (acceptFault?.({ kind: 'package', name: target, error }) !== true) throw error;
    }
  }
  return loaded;
}

async function loadTarget(host: Host, target: string, logger: Logger): Promise<readonly Tool[]> {
  const module = await importTarget(host, target);
  if (typeof module !== 'object' || module === null) throw noTools(target);
  if ('tools' in module) return checkTools(module.tools, target);
  if (!('createTools' in module) || !isCreateTools(module.createTools)) throw noTools(target);
  try {
    return checkTools(await module.createTools({ variables: host.variables, logger }), target);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new TaskError(`createTools of ${target} failed: ${errorMessage(error)}`, {
      code: 'task.tools-failed',
      hint: 'Correct it, or leave it out of tools.packages.',
      cause: error,
    });
  }
}

async function importTarget(host: Host, target: string): Promise<unknown> {
  const path = resolve(host.cwd, expandHome(target.replace(/^file:\/\//, ''), host.homeFolder));
  try {
    return await host.importModule(isFileTarget(target) ? pathToFileURL(path).href : target);
  } catch (error) {
    throw new ConfigError(`The tools of ${JSON.stringify(target)} cannot be loaded: ${importFailure(error)}`, {
      code: 'config.missing-tools',
      hint: 'Install the package where you run this (npm install NAME), or name a file by its path: ./my-tools.ts',
      cause: error,
    });
  }
}

function isCreateTools(value: unknown): value is CreateTools {
  return typeof value === 'function';
}

function checkTools(value: unknown, target: string): readonly Tool[] {
  if (!Array.isArray(value) || value.length === 0) throw noTools(target);
  return value.map((entry: unknown) => {
    if (isTool(entry)) return entry;
    throw noTools(target);
  });
}

/** By shape: the package may bring a `@talaria/tools` of its own. */
function isTool(value: unknown): value is Tool {
  return (
    typeof value === 'object' &&
    value !== null &&
    'definition' in value &&
    'toolset' in value &&
    'execute' in value &&
    typeof value.execute === 'function'
  );
}

function noTools(target: string): ConfigError {
  return new ConfigError(`${JSON.stringify(target)} exports no tools`, {
    code: 'config.missing-tools',
    hint: 'Export them: export const tools = [defineTool({ … })], or a function createTools that gives such a list.',
  });
}
