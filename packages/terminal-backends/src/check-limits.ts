import { ConfigError } from '@talaria/core';

/** Limits that a call may name; `undefined` is the default. */
export interface CallLimits {
  readonly timeoutMs?: number | undefined;
  readonly maxOutputBytes?: number | undefined;
  readonly maxBytes?: number | undefined;
  readonly maxFiles?: number | undefined;
  readonly offset?: number | undefined;
}

const counts = ['maxOutputBytes', 'maxBytes', 'maxFiles', 'offset'] as const;

/** Refuses limits that would limit nothing, or break what counts by them. @throws ConfigError `config.invalid` */
export function checkLimits(limits: CallLimits): void {
  const { timeoutMs } = limits;
  if (timeoutMs !== undefined && !(timeoutMs >= 0)) {
    throw invalidLimit('timeoutMs', timeoutMs, 'Give milliseconds from 0 on; Infinity is no limit.');
  }
  for (const name of counts) {
    const value = limits[name];
    const isLimitless = value === Number.POSITIVE_INFINITY && name !== 'offset';
    if (value === undefined || isLimitless || (Number.isSafeInteger(value) && value >= 0)) continue;
    throw invalidLimit(name, value, 'Give a whole number from 0 on; Infinity is no limit.');
  }
}

function invalidLimit(name: string, value: number, hint: string): ConfigError {
  return new ConfigError(`The option ${name} is ${value}`, { code: 'config.invalid', hint });
}
