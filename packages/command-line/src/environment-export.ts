import { ConfigError, errorMessage, isTalariaError, TaskError } from '@talaria/core';
import { checkEnvironment, type Environment } from '@talaria/environments';

/**
 * Finds the environment that a module exports, as its default or under the name `environment`: an object, a class, or a
 * function that makes one.
 * @throws ConfigError `config.no-environment` where there is none; TaskError `task.bad-environment` where it lacks something
 */
export async function environmentOfModule(loaded: unknown, source: string): Promise<Environment> {
  const exported = findExport(loaded);
  if (exported === undefined) {
    throw new ConfigError(`${source} exports no environment`, {
      code: 'config.no-environment',
      hint: 'Export one as the default or under the name `environment`: export const environment = defineEnvironment({ … })',
    });
  }
  const environment = await instantiate(exported, source);
  if (typeof environment !== 'object' || environment === null) {
    throw new ConfigError(`${source} exports ${describeValue(environment)} in place of an environment`, {
      code: 'config.no-environment',
      hint: 'Export an object, a class, or a function that returns an object: defineEnvironment({ … })',
    });
  }
  checkEnvironment(environment);
  return environment;
}

function describeValue(value: unknown): string {
  return value === null || value === undefined ? String(value) : `a ${typeof value}`;
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
