import { openScript } from './file-scripts.ts';
import { pathScript, scriptExits } from './path-script.ts';
import { finishWriteScript, openTargetScript } from './write-scripts.ts';

const exits = scriptExits;

/**
 * `is_reached PATH`: whether a carrier reaches the real path as this user would: root, whose files are not limited, and no
 * mount between `/` and the path. Names of mounts with a backslash are encoded; where there are such, it is not looked into.
 */
export const reachScript: string = `
is_reached() {
  [ "$(id -u)" = 0 ] && [ "$(ulimit -f)" = unlimited ] && [ -r /proc/self/mountinfo ] || return 1
  while read -r x x x x point x; do
    case $point in
      /) ;;
      *\\\\*) return 1 ;;
      *) case $1/ in "$point"/*) return 1 ;; esac ;;
    esac
  done </proc/self/mountinfo
}
# Sets $real to the real path of $1, which is no link itself.
resolve() {
  real=$(cd -P "\${1%/*}/" && pwd -P && echo .) || return 1
  real=\${real%??}
  # Bash leaves two slashes at the start of a path as they are.
  while case $real in /*) true ;; *) false ;; esac; do real=\${real#/}; done
  real=/\${real:+$real/}\${1##*/}
}
`;

/**
 * `TEMPORARY IS_EXCLUSIVE`: makes an empty file for a carrier to replace, so that all that would refuse one refuses it here,
 * and prints its user, its group, and its real path. Makes none where no carrier reaches it.
 */
export const placeScript: string = `${pathScript}${openTargetScript}${reachScript}
temporary=$1 is_exclusive=$2
open_target
resolve "$new" || exit ${exits.toolFailed}
is_reached "$real" || exit ${exits.notReached}
(umask 077 && set -C && : >"$new") || drop ${exits.toolFailed}
stat -c '%u %g' "$new" || drop ${exits.toolFailed}
printf '%s\\0' "$real"
`;

/** Goes on where {@link placeScript} ended, once the content is there; arguments and output as of the script that writes. */
export const adoptScript: string = `${pathScript}${openTargetScript}${finishWriteScript}
take_arguments "$@"
open_target
finish_write
`;

/**
 * `MIN MAX`: for a file whose size is within both, prints the line about it, which then starts with `C`, and its real path,
 * ended by NUL, where a carrier reaches it. Does nothing in any other case.
 */
export const tellCarriedScript: string = `${openScript}${reachScript}
tell_carried() {
  [ -n "$1" ] || return 0
  size=\${known#* }
  size=\${size%% *}
  [ "$size" -ge "$1" ] && [ "$size" -le "$2" ] || return 0
  t=$p
  follow
  resolve "$t" && is_reached "$real" || return 0
  echo "C $known"
  printf '%s\\0' "$real"
  exit 0
}
`;
