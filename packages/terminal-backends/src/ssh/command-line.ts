/** Written before the output of a program: what comes before is of the start-up files of the login shell. */
export const startMark = 'talaria-starts-here-5f0c1d';

/**
 * Runs words that were put through {@link encodeWord}, by any POSIX shell, in `/`. It stands in single quotes and holds no
 * quote, backslash, exclamation mark or line break, so that every login shell hands it on as it is.
 */
const runWords = `printf %s ${startMark}; cd /; n=$#; while [ $n -gt 0 ]; do \
case $1 in +*) w=$(printf %b. "\${1#+}"); w=\${w%.} ;; *) w=\${1#=} ;; esac; \
shift; set -- "$@" "$w"; n=$((n-1)); done; exec "$@"`;

/** Longest command line that a server can start: Linux takes 131,072 bytes for one argument. */
export const maxCommandLineBytes = 131_000;

/**
 * Builds what a server is asked to run. It gives that to the login shell of the user, which may be bash, dash, zsh, fish or
 * csh: they agree on plain words and on single quotes around harmless characters only, so that is all there is. The output begins
 * with {@link startMark}.
 */
export function buildCommandLine(words: readonly string[]): string {
  return `exec sh -c '${runWords}' talaria ${words.map(encodeWord).join(' ')}`;
}

/** What `'…'` keeps as it is in every shell. */
const harmless = /^[\w ./:=@%+,\-~#$&*()[\]{}|;<>?"^`]*$/;
const harmful = /[^\w ./:=@%+,\-~#$&*()[\]{}|;<>?"^`]/g;

function encodeWord(word: string): string {
  if (harmless.test(word)) return `'=${word}'`;
  // Bytes, since a login shell may live in another locale.
  const bytes = Buffer.from(word, 'utf8').toString('latin1');
  return `'+${bytes.replace(harmful, (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`)}'`;
}
