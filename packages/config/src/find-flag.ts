import { ConfigError, nearestName } from '@talaria/core';
import { type FieldDescription, findField, listLeafFields } from './field-description.ts';

/** Where the value of a flag goes. */
export interface FlagTarget {
  readonly path: readonly string[];
  readonly field: FieldDescription;
  /** Written as `--no-…`. */
  readonly isNegated: boolean;
  /** A flag of the command itself, not of the configuration. */
  readonly isOwn: boolean;
}

/** Every flag there is. */
export interface FlagTargets {
  readonly fields: readonly FieldDescription[];
  readonly aliases: Readonly<Record<string, string>>;
  readonly ownFields: readonly FieldDescription[];
}

/** Finds what a flag (without dashes) stands for; abbreviations stand for nothing. */
export function findFlag(name: string, targets: FlagTargets): FlagTarget | undefined {
  const direct = findPositive(name, targets);
  if (direct !== undefined) return direct;
  if (!name.startsWith('no-')) return undefined;
  const negated = findPositive(name.slice('no-'.length), targets);
  return negated?.field.type === 'boolean' ? { ...negated, isNegated: true } : undefined;
}

function findPositive(name: string, targets: FlagTargets): FlagTarget | undefined {
  const alias = Object.hasOwn(targets.aliases, `--${name}`) ? targets.aliases[`--${name}`] : undefined;
  const path = (alias ?? underscored(name, targets.fields)).split('.');
  if (path.includes('__proto__') || path.includes('')) return undefined;
  const own = alias === undefined && path.length === 1 ? findField(targets.ownFields, path) : undefined;
  if (own !== undefined) return { path, field: own, isNegated: false, isOwn: true };
  const field = findField(targets.fields, path);
  // A whole section is no flag, a map with free keys is one.
  if (field === undefined || (path.length === 1 && field.fields.length > 0)) return undefined;
  return { path, field, isNegated: false, isOwn: false };
}

/** Dashes as underscores in the parts that name fields; free keys below keep theirs. */
function underscored(name: string, fields: readonly FieldDescription[]): string {
  let known: readonly FieldDescription[] = fields;
  const parts = name.split('.').map((part, index) => {
    const plain = part.replaceAll('-', '_');
    const field = known.find((candidate) => candidate.name === plain);
    known = field?.fields ?? [];
    return field === undefined && index > 1 ? part : plain;
  });
  return parts.join('.');
}

/** The error for a flag that does not exist, with the one that was meant. */
export function unknownFlag(name: string, targets: FlagTargets): ConfigError {
  const meant = meantFlag(name, targets);
  return new ConfigError(`Unknown flag --${name}`, {
    code: 'config.unknown-flag',
    hint: meant === undefined ? 'See --help for all flags.' : `Did you mean --${meant}? See --help for all flags.`,
  });
}

function meantFlag(name: string, targets: FlagTargets): string | undefined {
  const names = [
    ...Object.keys(targets.aliases).map((alias) => alias.replace(/^--/u, '')),
    ...targets.ownFields.map((field) => field.name.replaceAll('_', '-')),
    ...listLeafFields(targets.fields).map((field) => field.path),
  ];
  const wanted = underscored(name, targets.fields);
  return (
    nearestName(name, names) ??
    names.find((candidate) => candidate.endsWith(`.${wanted}`)) ??
    names.find((candidate) => candidate.startsWith(wanted)) ??
    nearestName(name, names, 3)
  );
}
