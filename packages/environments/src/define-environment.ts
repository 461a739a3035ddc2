import { type JsonObject, TaskError } from '@talaria/core';
import type { EnvironmentConfig } from './configuration/environment-config.ts';
import type { Environment } from './environment.ts';

/**
 * Takes an environment as it is, with types taken from its parts and mistakes found at once.
 * @throws TaskError `task.bad-environment`
 */
export function defineEnvironment<Item extends JsonObject, Config = EnvironmentConfig>(
  environment: Environment<Item, Config>,
): Environment<Item, Config> {
  // Checked as an unknown value: the assertion is for callers that have nothing better, and would blur the types here.
  const candidate: unknown = environment;
  checkEnvironment(candidate);
  return environment;
}

/** Whether a value is an environment: an object, or an instance of a class, with a name, items or `getNextItem`, and the two methods. */
export function isEnvironment(value: unknown): value is Environment {
  return listProblems(value).length === 0;
}

/**
 * Makes sure that a value is an environment.
 * @throws TaskError `task.bad-environment` that lists everything it lacks
 */
export function checkEnvironment(value: unknown): asserts value is Environment {
  const problems = listProblems(value);
  if (problems.length === 0) return;
  const name: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'name') : undefined;
  throw badEnvironment(typeof name === 'string' ? name : 'environment', problems);
}

function badEnvironment(name: string, problems: readonly string[]): TaskError {
  return new TaskError(`${name} is not an environment: ${problems.join('; ')}`, {
    code: 'task.bad-environment',
    hint: 'An environment has a name and items (or the method getNextItem), and the methods formatPrompt and computeReward.',
  });
}

const requiredMethods = ['formatPrompt', 'computeReward'] as const;
const optionalMethods = [
  'getNextItem',
  'configInit',
  'setup',
  'prepareSandbox',
  'evaluate',
  'trainMetrics',
  'referenceTurns',
  'describeItem',
  'cleanup',
] as const;

function listProblems(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`it is ${value === null ? 'null' : `a ${typeof value}`}`];
  const problems: string[] = [];
  const name: unknown = Reflect.get(value, 'name');
  if (typeof name !== 'string') problems.push('it has no name');
  else if (!/^[a-z0-9][a-z0-9-]*$/u.test(name)) {
    problems.push(`its name ${JSON.stringify(name)} has other characters than lower-case letters, digits and hyphens`);
  }
  if (Reflect.get(value, 'items') === undefined && Reflect.get(value, 'getNextItem') === undefined) {
    problems.push('it has no items and no method getNextItem');
  }
  for (const member of ['items', 'evalItems'] as const) {
    const source: unknown = Reflect.get(value, member);
    if (source !== undefined && typeof source !== 'function' && !Array.isArray(source)) {
      problems.push(`its ${member} is neither a list nor a function`);
    }
  }
  for (const method of requiredMethods) {
    if (typeof Reflect.get(value, method) !== 'function') problems.push(`it has no method ${method}`);
  }
  for (const method of optionalMethods) {
    const member: unknown = Reflect.get(value, method);
    if (member !== undefined && typeof member !== 'function') problems.push(`its ${method} is no function`);
  }
  return [...problems, ...listPartProblems(value, 'tools', 'execute'), ...listPartProblems(value, 'parsers', 'parse')];
}

/** What is wrong with a list of things that each have a method. */
function listPartProblems(value: object, member: 'tools' | 'parsers', method: string): readonly string[] {
  const parts: unknown = Reflect.get(value, member);
  if (parts === undefined) return [];
  if (!Array.isArray(parts)) return [`its ${member} are no list`];
  return parts.flatMap((part: unknown, index) => {
    const isPart = typeof part === 'object' && part !== null && typeof Reflect.get(part, method) === 'function';
    return isPart ? [] : [`its ${member}[${index}] has no method ${method}`];
  });
}
