import { ConfigError, isJsonObject, type JsonObject, type JsonValue, parseJson } from '@talaria/core';
import { coerceText, expectedText, isBooleanWord } from './coerce-text.ts';
import { type ConfigLayer, mergeObjects, valueAt, withValueAt } from './config-layer.ts';
import type { FieldDescription } from './field-description.ts';
import { type FlagTarget, findFlag, unknownFlag } from './find-flag.ts';
import { isFlagToken, type RawFlag, splitArguments } from './split-arguments.ts';

/** What {@link parseFlags} knows. */
export interface FlagOptions {
  /** Fields of the configuration, sections at the top: `--env.group_size`. */
  readonly fields: readonly FieldDescription[];
  /** Friendly flags and the paths that they stand for: `{ '--max-turns': 'env.max_agent_turns' }`. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /** Fields of the command itself, which are no configuration: `--json`. Dashes and underscores are alike. */
  readonly ownFields?: readonly FieldDescription[] | undefined;
}

/** What stands in an argument list. */
export interface ParsedFlags {
  /** The configuration that the flags name. */
  readonly layer: ConfigLayer;
  /** Values of the command's own flags, by name. */
  readonly own: JsonObject;
  /** Words that belong to no flag, in order. */
  readonly positionals: readonly string[];
  /** For people, one sentence each. */
  readonly warnings: readonly string[];
}

interface Collected {
  readonly values: JsonObject;
  readonly own: JsonObject;
  readonly seen: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/**
 * Reads the arguments after the command: `--path value`, `--path=value`, bare `--flag` and `--no-flag` for booleans,
 * lists as several words, repeated flags, commas or JSON, objects as JSON or by deep paths. `--` ends the flags.
 * @throws ConfigError `config.unknown-flag` with the nearest name, `config.bad-flag` where a value does not fit
 */
export function parseFlags(argv: readonly string[], options: FlagOptions): ParsedFlags {
  const targets = { fields: options.fields, aliases: options.aliases ?? {}, ownFields: options.ownFields ?? [] };
  const { flags, positionals } = splitArguments(argv, (name) => findFlag(name, targets));
  let state: Collected = { values: {}, own: {}, seen: new Map(), warnings: [] };
  for (const flag of flags) {
    const target = findFlag(flag.name, targets);
    if (target === undefined) throw unknownFlag(flag.name, targets);
    state = collect(state, flag, target);
  }
  const layer = { name: 'flags', values: state.values, templates: new Map<string, string>() };
  return { layer, own: state.own, positionals, warnings: state.warnings };
}

function collect(state: Collected, flag: RawFlag, target: FlagTarget): Collected {
  const tree = target.isOwn ? state.own : state.values;
  const key = `${target.isOwn ? '' : 'config:'}${target.path.join('.')}`;
  const first = state.seen.get(key);
  const value = readFlagValue(flag, target);
  const before = first === undefined ? undefined : valueAt(tree, target.path);
  const isAdded = target.field.type === 'list' || isJsonObject(value);
  const warning = `--${flag.name} was given again; the last value counts`;
  const changed = withValueAt(tree, target.path, combine(before, value));
  return {
    values: target.isOwn ? state.values : changed,
    own: target.isOwn ? changed : state.own,
    seen: new Map([...state.seen, [key, flag.name]]),
    warnings: first === undefined || isAdded ? state.warnings : [...state.warnings, warning],
  };
}

/** A list goes on where it stopped, an object is merged, anything else is replaced. */
function combine(before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value];
  return isJsonObject(before) && isJsonObject(value) ? mergeObjects(before, value) : value;
}

function readFlagValue(flag: RawFlag, target: FlagTarget): JsonValue {
  const { field, isNegated } = target;
  if (isNegated) {
    if (flag.values.length > 0) throw badFlag(flag, 'takes no value', 'Leave the value away.');
    return false;
  }
  if (field.type === 'list') return readListFlag(flag, field);
  const [text] = flag.values;
  if (text === undefined) {
    if (field.type === 'boolean') return true;
    throw badFlag(flag, 'needs a value', `Give ${expectedText(field)}: --${flag.name}=VALUE`);
  }
  return readOne(flag, text, field);
}

function readListFlag(flag: RawFlag, field: FieldDescription): JsonValue {
  if (flag.values.length === 0) {
    throw badFlag(flag, 'needs at least one value', `For an empty list write --${flag.name}=[]`);
  }
  const values = flag.values.map((text) => readEntry(flag, text, field));
  if (values.length === 1 && values[0] === null) return null;
  return values.flatMap((value): readonly JsonValue[] => (Array.isArray(value) ? value : [value]));
}

/** One word of a list flag: a list of its own, or, where the entries are objects, one of them. */
function readEntry(flag: RawFlag, text: string, field: FieldDescription): JsonValue {
  if (field.items?.type === 'object' && !text.trimStart().startsWith('[')) return readOne(flag, text, field.items);
  return readOne(flag, text, field);
}

function readOne(flag: RawFlag, text: string, field: FieldDescription): JsonValue {
  const coerced = coerceText(text, field);
  if (coerced.ok) return coerced.value;
  const shown = field.isSecret ? '(a secret)' : JSON.stringify(text.slice(0, 80));
  const json = field.type === 'object' || field.type === 'list' ? parseJson(text) : undefined;
  const detail = json?.ok === false && /^[[{]/u.test(text.trimStart()) ? ` (${json.message})` : '';
  throw badFlag(flag, `does not take ${shown}${detail}`, `It takes ${coerced.expected}.`);
}

function badFlag(flag: RawFlag, what: string, hint: string): ConfigError {
  return new ConfigError(`--${flag.name} ${what}`, { code: 'config.bad-flag', hint });
}

/**
 * The value of one flag, found without knowing the others: for what must be read before the fields are known, such as
 * the name of the configuration file. The last one counts; `undefined` where there is none.
 */
export function readFlag(argv: readonly string[], name: string): string | undefined {
  let value: string | undefined;
  for (const [index, token] of argv.entries()) {
    if (token === '--') break;
    if (token.startsWith(`--${name}=`)) value = token.slice(name.length + 3);
    const next = argv[index + 1];
    if (token === `--${name}` && next !== undefined && !isFlagToken(next) && !isBooleanWord(next)) value = next;
  }
  return value;
}
