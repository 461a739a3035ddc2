import { ConfigError, truncateText } from '@talaria/core';
import { checkStoreKey } from '../store-key.ts';
import { storedText } from '../stored-text.ts';
import { maxMessageChars, type SessionMessage } from './session-store.ts';

/** Messages as stores keep them. @throws ConfigError `config.invalid` */
export function storedMessages(sessionId: string, messages: readonly SessionMessage[]): readonly SessionMessage[] {
  checkStoreKey('session id', sessionId);
  return messages.map(({ at, content, role }) => {
    if (!Number.isSafeInteger(at)) {
      throw new ConfigError(`The time of a message is ${at}`, {
        code: 'config.invalid',
        hint: 'Give whole milliseconds since 1970.',
      });
    }
    return { role, at, content: truncateText(storedText(content), maxMessageChars) };
  });
}

/** @throws ConfigError `config.invalid` for a limit that is no whole number above 0 */
export function checkLimit(limit: number): void {
  if (Number.isSafeInteger(limit) && limit > 0) return;
  throw new ConfigError(`The limit of a search is ${limit}`, {
    code: 'config.invalid',
    hint: 'Give a whole number greater than 0.',
  });
}
