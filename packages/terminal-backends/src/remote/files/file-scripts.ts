import { pathScript, scriptExits } from './path-script.ts';

const exits = scriptExits;

/** Prints the path, made absolute. */
export const resolveScript: string = `${pathScript}printf %s "$p"`;

/** What {@link readStatLine} reads: type and permissions, size, time in seconds, time with its fraction. */
export const statFormat = '%f %s %Y %y';

/** Opens the regular file `$p` as descriptor 3, and sets `$known` to what is known about it. Never opens a pipe. */
export const openScript: string = `
open_file() {
  if [ ! -f "$p" ]; then
    [ ! -d "$p" ] || exit ${exits.isDirectory}
    [ ! -e "$p" ] || exit ${exits.irregular}
    explain "$p"
  fi
  [ -r "$p" ] || exit ${exits.permission}
  known=$(stat -L -c '${statFormat}' "$p") || exit ${exits.toolFailed}
  exec 3<"$p" || exit ${exits.toolFailed}
}
# Prints the rest of the file from the byte $1 on, at most $2 bytes.
print_range() {
  if [ "$1" = 0 ]; then
    if [ -n "$2" ]; then head -c "$2" <&3; else cat <&3; fi
  elif [ -n "$2" ]; then
    tail -c "+$(($1 + 1))" <&3 2>/dev/null | head -c "$2"
  else
    tail -c "+$(($1 + 1))" <&3
  fi || exit ${exits.toolFailed}
}
`;

/**
 * `OFFSET COUNT LIMIT`: prints a line about the file, then at most `COUNT` bytes. Where `COUNT` is above `LIMIT` and the
 * file has more than `LIMIT` bytes there, only the line, which then starts with `L`.
 */
export const readScript: string = `${pathScript}${openScript}
open_file
size=\${known#* }
size=\${size%% *}
if [ "$2" -gt "$3" ] && [ $((size - $1)) -gt "$3" ]; then
  echo "L $known"
else
  echo "S $known"
  print_range "$1" "$2"
fi
`;

/** `OFFSET COUNT`: prints a line about the file, then the bytes; an empty `COUNT` is no limit. */
export const streamScript: string = `${pathScript}${openScript}
open_file
echo "S $known"
print_range "$1" "$2"
`;

/** `IS_LINK`: prints a line about the path, then where it points, if it is a link and `IS_LINK` is 1. */
export const statScript: string = `${pathScript}
if [ "$1" = 1 ]; then
  stat -c '${statFormat}' "$p" || exit ${exits.toolFailed}
  [ ! -L "$p" ] || readlink -n "$p" || exit ${exits.toolFailed}
else
  stat -L -c '${statFormat}' "$p" || exit ${exits.toolFailed}
fi
`;

/** Prints each entry as a letter for its kind and its name, ended by NUL. Only built-in commands: folders may be large. */
export const listScript: string = `${pathScript}
if [ ! -d "$p" ]; then
  [ ! -e "$p" ] || exit ${exits.notDirectory}
  explain "$p"
fi
[ -r "$p" ] && [ -x "$p" ] || exit ${exits.permission}
cd "\${p%/}/" || exit ${exits.toolFailed}
for entry in * .*; do
  case $entry in . | ..) continue ;; esac
  if [ -L "$entry" ]; then kind=l
  elif [ -d "$entry" ]; then kind=d
  elif [ -f "$entry" ]; then kind=f
  elif [ -e "$entry" ]; then kind=o
  else continue
  fi
  printf '%s\\0' "$kind$entry"
done
`;

/** Prints 1 where a folder was made, 0 where it was there. */
export const makeFolderScript: string = `${pathScript}
if [ -d "$p" ]; then echo 0; exit 0; fi
make_folder "$p"
echo 1
`;

/**
 * Refuses to touch the path where the folder `$1`, which is real, is the same or inside it. Sets `$p` to its real place; a
 * link is an entry of its own.
 */
const guardScript = `
guard() {
  real=
  if [ -d "$p" ] && [ ! -L "$p" ]; then real=$(cd -P "\${p%/}/" 2>/dev/null && pwd -P && echo .); fi
  if [ -z "$real" ]; then
    folder=$(cd -P "\${p%/*}/" && pwd -P && echo .) || exit ${exits.toolFailed}
    folder=\${folder%??}
    real=\${folder%/}/\${p##*/}..
  fi
  p=\${real%??}
  # Bash leaves two slashes at the start of a path as they are.
  while case $p in //*) true ;; *) false ;; esac; do p=\${p#/}; done
  case $p in /?*) ;; *) exit ${exits.holder} ;; esac
  case $1/ in "$p"/*) exit ${exits.holder} ;; esac
}
`;

/** `HOLDER`: removes whatever the path names. */
export const removeScript: string = `${pathScript}${guardScript}
stat "$p" >/dev/null || exit ${exits.toolFailed}
guard "$1"
rm -rf "$p" 2>/dev/null && exit 0
# A folder without the rights to be emptied gets them first.
if [ -d "$p" ] && [ ! -L "$p" ]; then
  find "$p" -xdev -type d ! -perm -700 -exec chmod u+rwx {} \\; >/dev/null 2>&1
fi
rm -rf "$p" || exit ${exits.toolFailed}
`;

/** `USER PATH HOLDER`: renames within one file system, as the system call does. `mv` alone would move into a folder. */
export const moveScript: string = `${pathScript}${guardScript}
stat "$p" >/dev/null || exit ${exits.toolFailed}
guard "$3"
from=$p
take_path "$1" "$2"
[ "$p" != "$from" ] || exit 0
devices=$(stat -L -c %d "\${from%/*}/" "\${p%/*}/") || exit ${exits.toolFailed}
set -- $devices
if [ "$1" != "$2" ]; then
  echo "mv: Invalid cross-device link"
  exit ${exits.toolFailed}
fi
if [ -d "$from" ] && [ ! -L "$from" ]; then
  if [ -L "$p" ]; then exit ${exits.notDirectory}
  elif [ -d "$p" ]; then
    case $p in "$from"/*) echo "mv: Invalid argument"; exit ${exits.toolFailed} ;; esac
    rmdir "$p" || exit ${exits.toolFailed}
  elif [ -e "$p" ]; then exit ${exits.notDirectory}
  fi
elif [ -L "$p" ]; then
  [ ! -d "$p" ] || rm -f "$p" || exit ${exits.toolFailed}
elif [ -d "$p" ]; then exit ${exits.isDirectory}
elif [ ! -L "$from" ] && [ "$from" -ef "$p" ]; then exit 0
fi
mv -f "$from" "$p" || exit ${exits.toolFailed}
`;
