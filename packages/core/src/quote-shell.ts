const plain = /^[A-Za-z0-9_./:=@%+,-]+$/;

/**
 * Builds the text of a shell command from its words: every word is taken literally by any POSIX shell.
 * The only way in which command text is made from values. @throws RangeError for a NUL, which no shell word can hold
 */
export function quoteShell(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

function quoteWord(word: string): string {
  if (word.includes('\0')) throw new RangeError('A shell word cannot hold a NUL character');
  return plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
