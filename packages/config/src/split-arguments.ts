import { coerceText, isBooleanWord, isNumberText } from './coerce-text.ts';
import type { FlagTarget } from './find-flag.ts';

/** A flag as it was written. */
export interface RawFlag {
  /** Without the leading dashes. */
  readonly name: string;
  readonly values: readonly string[];
}

/** An argument list, taken apart. */
export interface SplitArguments {
  readonly flags: readonly RawFlag[];
  readonly positionals: readonly string[];
}

/** Whether a word begins a flag: it starts with a dash and is neither a dash alone nor a number. */
export function isFlagToken(token: string): boolean {
  return token.length > 1 && token.startsWith('-') && !isNumberText(token);
}

/** Takes an argument list apart; `find` says how many of the words after a flag belong to it. */
export function splitArguments(
  argv: readonly string[],
  find: (name: string) => FlagTarget | undefined,
): SplitArguments {
  const flags: RawFlag[] = [];
  const positionals: string[] = [];
  let index = 0;
  while (index < argv.length) {
    const token = argv[index] ?? '';
    index += 1;
    if (token === '--') {
      positionals.push(...argv.slice(index));
      break;
    }
    if (!isFlagToken(token)) {
      positionals.push(token);
      continue;
    }
    const flag = readFlagToken(token);
    const values = flag.value === undefined ? followingValues(argv, index, find(flag.name)) : [flag.value];
    if (flag.value === undefined) index += values.length;
    flags.push({ name: flag.name, values });
  }
  return { flags, positionals };
}

function readFlagToken(token: string): { readonly name: string; readonly value: string | undefined } {
  const body = token.replace(/^--?/u, '');
  const equals = body.indexOf('=');
  return equals < 0 ? { name: body, value: undefined } : { name: body.slice(0, equals), value: body.slice(equals + 1) };
}

function followingValues(argv: readonly string[], start: number, target: FlagTarget | undefined): readonly string[] {
  if (target === undefined || target.isNegated) return [];
  const end = argv.findIndex((token, index) => index >= start && isFlagToken(token));
  const words = argv.slice(start, end < 0 ? argv.length : end);
  const { field } = target;
  if (field.type === 'list') return words;
  const [first] = words;
  if (first === undefined) return [];
  if (field.type !== 'boolean') return [first];
  return isBooleanWord(first) || (coerceText(first, field).ok && field.isNullable) ? [first] : [];
}
