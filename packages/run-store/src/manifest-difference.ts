import { canonicalJson, isJsonObject, type JsonValue, StateError, truncateText } from '@talaria/core';
import type { RunDescription } from './run-manifest.ts';

interface Difference {
  readonly key: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** So many differences are named in the message. */
const maxNamed = 10;

/**
 * Checks that a run may go on with what it is given now.
 *
 * @param changeableKeys dotted keys of the configuration that may differ, with all that is below them
 * @throws StateError `state.different-run` that names what differs
 */
export function checkSameRun(
  path: string,
  before: RunDescription,
  after: RunDescription,
  changeableKeys: readonly string[],
): void {
  const differences = [
    ...differencesOf('command', before.command, after.command),
    ...differencesOf('environment', before.environment, after.environment),
    ...differencesOf('', before.config, after.config).filter(({ key }) => !isBelow(key, changeableKeys)),
  ];
  if (differences.length === 0) return;
  const named = differences.slice(0, maxNamed).map(describe);
  const more = differences.length > maxNamed ? [`and ${differences.length - maxNamed} more`] : [];
  throw new StateError(`The run in ${path} was started differently: ${[...named, ...more].join('; ')}`, {
    code: 'state.different-run',
    hint: 'Resume it with what it was started with, or choose another folder for a new run.',
  });
}

function differencesOf(key: string, before: JsonValue | undefined, after: JsonValue | undefined): Difference[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => differencesOf(key === '' ? name : `${key}.${name}`, before[name], after[name]));
  }
  // An absent key and `null` both mean "not set".
  return canonicalJson(before) === canonicalJson(after) ? [] : [{ key, before, after }];
}

function isBelow(key: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => key === prefix || key.startsWith(`${prefix}.`));
}

function describe({ key, before, after }: Difference): string {
  return `${key} was ${show(before)}, now ${show(after)}`;
}

function show(value: JsonValue | undefined): string {
  return value === undefined ? 'not set' : truncateText(JSON.stringify(value), 80);
}
