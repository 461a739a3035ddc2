/**
 * Starts one program with the group, folder and streams of its own, and says its number, as programs inside see it, on
 * descriptor 3. Exits with 126 where the folder is none. Arguments: the folder, `merge` or `apart` for standard error, `setsid` or
 * `already` where the caller made the session, then the words of the program.
 */
const launchLines = [
  'cd -- "$1" 2>/dev/null || exit 126',
  'echo $$ >&3',
  'exec 3>&-',
  'unset OLDPWD',
  '[ "$2" = apart ] || exec 2>&1',
  'session=$3',
  'shift 3',
  '[ "$session" = already ] || exec /usr/bin/setsid -- "$@"',
  'exec "$@"',
];

/** The launcher as the first process of the program. */
export const launchScript: string = launchLines.join('\n');

/**
 * The launcher below a shell that waits. `nsenter` waits by itself, but stops when its child is stopped and then never
 * learns that the child was killed; this shell does not, and it stays outside of the process table of the sandbox.
 */
export const waitScript: string = `/bin/sh -c "$0" sh "$@"; exit $?`;
