import { type JsonObject, TaskError } from '@talaria/core';
import type { z } from 'zod';
import type { EnvironmentConfig } from './configuration/environment-config.ts';
import type { Environment, EnvironmentContext } from './environment.ts';

/** Items as a list, or as a function that reads them once. */
export type ItemSource<Item, Config> =
  | readonly Item[]
  | ((context: EnvironmentContext<Config>) => readonly Item[] | Promise<readonly Item[]>);

/** What {@link defineEnvironment} takes: an environment, with lists in place of methods where those are enough. */
export interface EnvironmentDefinition<Item extends JsonObject, Config>
  extends Omit<Environment<Item, Config>, 'getNextItem' | 'evalItems' | 'configSchema'> {
  readonly configSchema?: z.ZodType<Config> | undefined;
  /** Items that are given out in turn, again from the start after the last one; instead of `getNextItem`. */
  readonly items?: ItemSource<Item, Config> | undefined;
  getNextItem?: Environment<Item, Config>['getNextItem'] | undefined;
  /** The items of the evaluation. @default `items` */
  evalItems?: ItemSource<Item, Config> | undefined;
}

/**
 * Makes an environment of its parts, with types taken from them and mistakes found at once.
 * @throws TaskError `task.bad-environment`
 */
export function defineEnvironment<Item extends JsonObject, Config = EnvironmentConfig>(
  definition: EnvironmentDefinition<Item, Config>,
): Environment<Item, Config> {
  const { items, evalItems = items, getNextItem, ...rest } = definition;
  const read = items === undefined ? undefined : readOnce(items);
  const readEval = evalItems === undefined ? undefined : evalItems === items ? read : readOnce(evalItems);
  const environment: Environment<Item, Config> = {
    ...rest,
    async getNextItem(context) {
      if (getNextItem !== undefined) return getNextItem.call(this, context);
      const list = await read?.(context);
      return list?.[context.itemIndex % list.length] ?? null;
    },
    ...(readEval === undefined ? {} : { evalItems: async (context: EnvironmentContext<Config>) => readEval(context) }),
  };
  if (getNextItem === undefined && items === undefined) {
    throw badEnvironment(environment.name, ['it has neither items nor getNextItem']);
  }
  checkEnvironment(environment);
  return environment;
}

/** Reads a list the first time it is needed. */
function readOnce<Item, Config>(
  source: ItemSource<Item, Config>,
): (context: EnvironmentContext<Config>) => Promise<readonly Item[]> {
  let list: Promise<readonly Item[]> | undefined;
  return (context) => {
    list ??= Promise.resolve(typeof source === 'function' ? source(context) : source);
    return list;
  };
}

/** Whether a value is an environment: an object, or an instance of a class, with a name and the three methods. */
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
    hint: 'An environment has a name and the methods getNextItem (or items), formatPrompt and computeReward.',
  });
}

const requiredMethods = ['getNextItem', 'formatPrompt', 'computeReward'] as const;
const optionalMethods = [
  'configInit',
  'setup',
  'prepareSandbox',
  'evalItems',
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
