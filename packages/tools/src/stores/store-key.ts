import { ConfigError } from '@talaria/core';

/** Longest tenant or session id, in characters. */
const maxChars = 256;

/**
 * Checks a name that keeps what belongs to one apart from what belongs to others. Text that two stores could take for
 * another's is refused: what is no Unicode becomes the same replacement character in a database.
 *
 * @throws ConfigError `config.invalid`
 */
export function checkStoreKey(what: 'tenant' | 'session id', key: string): void {
  if (key !== '' && key.length <= maxChars && key.isWellFormed() && !key.includes('\0')) return;
  throw new ConfigError(`The ${what} ${JSON.stringify(key.slice(0, 80))} cannot be used`, {
    code: 'config.invalid',
    hint: `Give 1 to ${maxChars} characters of Unicode text without NUL.`,
  });
}
