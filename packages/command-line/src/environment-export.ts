import { ConfigError, errorMessage, isTalariaError, TaskError } from '@talaria/core';
import type { Environment } from '@talaria/environments';

const requiredMethods = ['getNextItem', 'formatPrompt', 'computeReward'] as const;

/**
 * Finds the environment that a module exports, as its default or under the name `environment`: an object, a class, or a
 * function that makes one.
 * @throws ConfigError `config.no-environment` where there is none, or what there is lacks something
 */
export async function environmentOfModule(loaded: unknown, source: string): Promise<Environment> {
  const exported = findExport(loaded);
  if (exported === undefined) {
    throw new ConfigError(`${source} exports no environment`, {
      code: 'config.no-environment',
      hint: 'Export one as the default or under the name `environment`: export const environment = defineEnvironment({ … })',
    });
  }
  return checkEnvironment(await instantiate(exported, source), source);
}

function findExport(loaded: unknown): unknown {
  if (typeof loaded !== 'object' || loaded === null) return undefined;
  if ('default' in loaded && loaded.default !== undefined) {
    const { default: main } = loaded;
    // A CommonJS module arrives as the default export of its wrapper.
    if (typeof main === 'object' && main !== null && 'environment' in main) return main.environment;
    return main;
  }
  return 'environment' in loaded ? loaded.environment : undefined;
}

async function instantiate(exported: unknown, source: string): Promise<unknown> {
  if (typeof exported !== 'function') return exported;
  try {
    // A class and a factory are both functions; only the former has the methods on its prototype.
    return isEnvironmentClass(exported)
      ? Reflect.construct(exported, [])
      : await Reflect.apply(exported, undefined, []);
  } catch (error) {
    if (isTalariaError(error)) throw error;
    throw new TaskError(`Cannot create the environment of ${source}: ${errorMessage(error)}`, {
      code: 'task.environment-failed',
      hint: 'The class or function is called without arguments: --verbose shows where it failed.',
      cause: error,
    });
  }
}

function isEnvironmentClass(value: unknown): boolean {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}

function checkEnvironment(value: unknown, source: string): Environment {
  const problems = listProblems(value);
  if (problems.length > 0) {
    throw new ConfigError(`What ${source} exports is not an environment: ${problems.join('; ')}`, {
      code: 'config.no-environment',
      hint: 'An environment has a name and the methods getNextItem, formatPrompt and computeReward.',
    });
  }
  // Checked above as far as a value can be: what the methods take and return shows when they are called.
  return value as Environment;
}

function listProblems(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`it is ${value === null ? 'null' : typeof value}`];
  const problems: string[] = [];
  const name: unknown = Reflect.get(value, 'name');
  if (typeof name !== 'string') problems.push('it has no name');
  else if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) {
    problems.push(`its name "${name}" has other characters than lower-case letters, digits and hyphens`);
  }
  for (const method of requiredMethods) {
    if (typeof Reflect.get(value, method) !== 'function') problems.push(`it has no ${method}`);
  }
  return problems;
}
