import { killerScript } from '../remote/killer-script.ts';

/** Folder of all sandboxes of an account, below its home. */
export const tasksFolder = '.talaria/tasks';

/**
 * Ends and removes a sandbox, for any POSIX shell. Called with `GRACE_MS sandbox ID LIMIT STATE_ID` in the environment of a
 * login. Exit code 1 where processes could not be ended, whose numbers it prints; 2 where the folder could not be removed.
 * The watchdog goes last, so that whatever stops this script is made good by that.
 */
export const endPlaceScript: string = `${killerScript}
[ "$found" = " " ] || exit 1
base=$(cd -P -- "$HOME" && pwd)/${tasksFolder}

end_holders() { # TEXT: ends at once what has that in its environment
  for file in $(holding "$1" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    pid=\${pid%%/*}
    case "$own" in *" $pid "*) continue ;; esac
    kill -KILL "$pid" 2>/dev/null
  done
}

# What stood ready for commands. Where the network was cut, the server may take it for wanted still.
end_holders "HOME=$base/$3/home"
for place in "$base/$3" "/tmp/.talaria-$5" "/var/tmp/.talaria-$5" "/dev/shm/.talaria-$5"; do
  [ -d "$place" ] && [ ! -L "$place" ] || continue
  rm -rf -- "$place" 2>/dev/null && continue
  chmod -R u+rwx -- "$place" 2>/dev/null
  rm -rf -- "$place"
done
[ ! -e "$base/$3" ] || exit 2
end_holders "TALARIA_WATCHDOG_ID=$3"
exit 0
`;

/**
 * Makes the folders of a sandbox and starts its watchdog. Called with `ID SECONDS END_SCRIPT ABOUT` and then the arguments of
 * that script. Writes what it found, in entries that end with NUL: folder, user, path, language.
 *
 * The watchdog lets nothing of a sandbox outlive its time, whatever becomes of the machine that opened it. It bears a mark
 * of its own, so that nothing takes it for a process of the sandbox.
 */
export const makePlaceScript: string = `
umask 077
id=$1 seconds=$2 end=$3 about=$4
shift 4
[ -r /proc/self/environ ] || { echo "there is no /proc" >&2; exit 3; }
cd -P -- "$HOME" || exit 4
base=$(pwd)/${tasksFolder}
mkdir -p -- "$base" || exit 4
folder=$base/$id
mkdir -- "$folder" || exit 4
printf %s "$about" >"$folder/about" && printf %s "$end" >"$folder/end" || exit 4
mkdir -- "$folder/home" "$folder/tmp" || exit 4
session=$(command -v setsid)
if [ "$seconds" != - ]; then
  TALARIA_WATCHDOG_ID=$id $session sh -c '
trap "" HUP
sleep "$1"
end=$2
shift 2
exec sh "$end" "$@"
' talaria "$seconds" "$folder/end" "$@" </dev/null >/dev/null 2>&1 &
fi
printf '%s\\0' "$folder" "$(id -un)" "$PATH" "\${LANG-}"
`;

/** Tells of all sandboxes of the account: the id, NUL, what was written down about it, NUL. */
export const listPlacesScript: string = `
cd "$HOME/${tasksFolder}" 2>/dev/null || exit 0
for about in */about; do
  [ -f "$about" ] && [ ! -L "$about" ] || continue
  printf '%s\\0' "\${about%/about}"
  head -c 8192 "$about"
  printf '\\0'
done
`;
