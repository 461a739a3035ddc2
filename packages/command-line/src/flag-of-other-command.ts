import { ConfigError, isTalariaError } from '@talaria/core';
import { type DriverName, runFlagAliases } from '@talaria/environments';
import { commandFields } from './command-flags.ts';

const commandNames: Readonly<Record<DriverName, string>> = { process: 'run', evaluate: 'eval' };

/** Flags that mean the same in the other command, or nearly. */
const counterparts: Readonly<Record<string, string>> = {
  '--group-size': '--samples',
  '--samples': '--group-size',
  '--steps': '--max-items',
  '--max-items': '--steps',
};

/** An unknown flag that the other command knows is no slip of the finger: the error says whose it is. */
export function explainUnknownFlag(error: unknown, driver: DriverName): unknown {
  if (!isTalariaError(error) || error.code !== 'config.unknown-flag') return error;
  const flag = /^Unknown flag (--[\w-]+)$/u.exec(error.message)?.[1];
  const other = driver === 'process' ? 'evaluate' : 'process';
  if (flag === undefined || !isFlagOf(other, flag)) return error;
  const counterpart = counterparts[flag];
  const instead = counterpart === undefined ? '' : `; ${commandNames[driver]} has ${counterpart}`;
  return new ConfigError(error.message, {
    code: 'config.unknown-flag',
    hint: `${flag} is a flag of ${commandNames[other]}${instead}. See --help for all flags.`,
    cause: error,
  });
}

function isFlagOf(driver: DriverName, flag: string): boolean {
  const own = commandFields(driver).map(({ path }) => `--${path.replaceAll('_', '-')}`);
  return Object.hasOwn(runFlagAliases(driver), flag) || own.includes(flag);
}
