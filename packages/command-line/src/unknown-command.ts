import { ConfigError, nearestName } from '@talaria/core';

/** The error for a first word that is no command, with what was probably meant. */
export function unknownCommand(
  word: string,
  commands: readonly string[],
  builtinNames: readonly string[],
): ConfigError {
  return new ConfigError(`Unknown command "${word}"`, {
    code: 'config.unknown-command',
    hint: hintFor(word, commands, builtinNames),
  });
}

function hintFor(word: string, commands: readonly string[], builtinNames: readonly string[]): string {
  if (builtinNames.includes(word) || /[./]/.test(word)) return `Name the command first: talaria run ${word}`;
  const nearest = nearestName(word, commands);
  return nearest === undefined ? '--help lists what there is.' : `Did you mean ${nearest}?`;
}
