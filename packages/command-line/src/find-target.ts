import { describeFields, type FieldDescription, listLeafFields } from '@talaria/config';
import {
  type DriverName,
  environmentConfigSchema,
  runFlagAliases,
  serverConfigSchema,
  terminalConfigSchema,
  toolsConfigSchema,
} from '@talaria/environments';
import { z } from 'zod';
import { commandFields } from './command-flags.ts';
import { isFileTarget } from './load-environment.ts';

/** The environment that a command names, and the words beside it. */
export interface FoundTarget {
  readonly target: string;
  readonly flags: readonly string[];
}

/** What {@link findTarget} knows about the command. */
export interface TargetOptions {
  readonly driver: DriverName;
  /** Names of environments that the program brings. */
  readonly builtinNames: readonly string[];
}

/**
 * Finds the environment among the words after a command: the first that is no flag and no value of one. Fields of the
 * environment itself are not known yet: a flag that is unknown here is taken to have a value.
 */
export function findTarget(args: readonly string[], options: TargetOptions): FoundTarget | null {
  const index = indexOfTarget(args, options);
  const target = args[index];
  return target === undefined ? null : { target, flags: args.filter((_word, position) => position !== index) };
}

function indexOfTarget(args: readonly string[], { driver, builtinNames }: TargetOptions): number {
  if (args[0]?.startsWith('-') !== true) return 0;
  const fields = flagFields(driver);
  let index = 0;
  while (index < args.length) {
    const word = args[index] ?? '';
    if (!word.startsWith('-')) return index;
    index += 1 + countValues(args.slice(index), fields);
  }
  // Behind a flag that takes a list, a name that is well known is no part of the list.
  return args.findLastIndex((word) => builtinNames.includes(word) || isFileTarget(word));
}

/** How many of the words after a flag belong to it. */
function countValues([flag = '', ...words]: readonly string[], fields: ReadonlyMap<string, FieldDescription>): number {
  if (flag.includes('=') || flag.startsWith('--no-')) return 0;
  const end = words.findIndex((word) => word.startsWith('-'));
  const available = end < 0 ? words.length : end;
  switch (fields.get(flag.replaceAll('-', '_'))?.type) {
    case 'boolean':
      return /^(true|false|yes|no|on|off)$/iu.test(words[0] ?? '') ? 1 : 0;
    case 'list':
      return available;
    default:
      return words.length === 0 ? 0 : 1;
  }
}

/** Fields by their flags, with dashes as underscores. */
function flagFields(driver: DriverName): ReadonlyMap<string, FieldDescription> {
  const settings = listLeafFields(
    describeFields(
      z.object({
        env: environmentConfigSchema,
        openai: serverConfigSchema,
        terminal: terminalConfigSchema,
        tools: toolsConfigSchema,
      }),
    ),
  );
  const byPath = new Map(settings.map((field) => [field.path, field]));
  const aliases = Object.entries(runFlagAliases(driver)).flatMap(([flag, path]): [string, FieldDescription][] => {
    const field = byPath.get(path);
    return field === undefined ? [] : [[flag, field]];
  });
  const own = [...commandFields(driver), ...settings].map((field): [string, FieldDescription] => [
    `--${field.path}`,
    field,
  ]);
  return new Map([...own, ...aliases].map(([flag, field]) => [flag.replaceAll('-', '_'), field]));
}
