import { ConfigError, nearestName } from '@talaria/core';

/**
 * What the word after a command's name asks for.
 *
 * @param actions by every word that stands for them
 * @param command `tools`, `sandboxes`, …
 * @throws ConfigError `config.unknown-command`
 */
export function findAction<Action extends string>(
  word: string,
  actions: Readonly<Record<string, Action>>,
  command: string,
): Action {
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (action !== undefined) return action;
  const meant = nearestName(word, Object.keys(actions));
  const takes = [...new Set(Object.values(actions))];
  throw new ConfigError(
    word === '' ? `${command} needs a command` : `${command} does not know ${JSON.stringify(word)}`,
    {
      code: 'config.unknown-command',
      hint:
        meant === undefined
          ? `It takes ${takes.slice(0, -1).join(', ')} or ${takes.at(-1)}.`
          : `Did you mean ${meant}?`,
    },
  );
}
