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

/**
 * `TEMPORARY SIZE MODE IS_EXCLUSIVE TIME KEEPS_OWNER HAS_SUM`: writes its input to a temporary file beside the end of the
 * links, gives that mode (empty: that of the file it replaces, else 644), time (empty: now) and, where it keeps the
 * owner, the one of the file that it replaces; prints the SHA-256 sum, and renames it into place.
 */
export const writeScript: string = `${pathScript}
temporary=$1 size=$2 mode=$3 is_exclusive=$4 time=$5 keeps_owner=$6 has_sum=$7 old=
t=$p
if [ "$is_exclusive" = 1 ]; then
  if [ -e "$t" ] || [ -L "$t" ]; then exit ${exits.exists}; fi
else
  follow
fi
if [ -d "$t" ]; then exit ${exits.isDirectory}
elif [ -f "$t" ]; then old=$t
elif [ -e "$t" ]; then exit ${exits.irregular}
fi
folder=\${t%/*}
make_folder "$folder/"
new=$folder/$temporary
drop() {
  rm -f "$new"
  exit "$1"
}
(umask 077 && set -C && cat >"$new") || drop ${exits.toolFailed}
facts=$(stat -L -c '%s %u:%g %a' "$new" \${old:+"$old"}) || drop ${exits.toolFailed}
set -- $facts
[ "$1" = "$size" ] || drop ${exits.incomplete}
if [ -n "$old" ] && [ "$keeps_owner" = 1 ]; then
  # Only root may give files away; without that right the new file is the writer's, as with any editor.
  [ "$2" = "$5" ] || chown "$5" "$new" 2>/dev/null
  mode=\${mode:-$6}
fi
chmod "\${mode:-644}" "$new" || drop ${exits.toolFailed}
if [ -n "$time" ]; then
  # BusyBox takes whole seconds only.
  touch -d "@$time" "$new" 2>/dev/null || touch -d "@\${time%.*}" "$new" || drop ${exits.toolFailed}
fi
if [ "$has_sum" = 1 ]; then
  sum=$(sha256sum <"$new") || drop ${exits.toolFailed}
  echo "\${sum%% *}"
fi
if [ "$is_exclusive" = 1 ]; then
  if [ -e "$t" ] || [ -L "$t" ]; then drop ${exits.exists}; fi
  ln -T "$new" "$t" || drop ${exits.toolFailed}
  rm -f "$new"
else
  mv -f "$new" "$t" || drop ${exits.toolFailed}
fi
`;

/** `TEMPORARY FOLLOWS`: removes what {@link writeScript} or an unpacking that was ended may have left. */
export const discardScript: string = `${pathScript}
t=$p
[ "$2" = 0 ] || follow
rm -rf "\${t%/*}/$1"
`;
