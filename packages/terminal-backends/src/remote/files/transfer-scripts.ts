import { tellCarriedScript } from './carried-scripts.ts';
import { statFormat } from './file-scripts.ts';
import { pathScript, scriptExits } from './path-script.ts';

const exits = scriptExits;

/** Exit code of {@link downloadScript} where tar has something to say, which need be no failure. */
export const tarSpoke = 93;

/**
 * `MIN MAX`: prints a line about the path, then the bytes of the file, or of a folder: its real path, NUL, and an archive of
 * what is in it. Of a file that a carrier can take, no bytes but its real path and NUL. GNU tar writes the fraction of times only in the format of POSIX, and by default in pieces of 10 KiB.
 */
export const downloadScript: string = `${pathScript}${tellCarriedScript}
if [ ! -d "$p" ]; then
  open_file
  tell_carried "$1" "$2"
  echo "S $known"
  print_range 0 ''
  exit 0
fi
[ -r "$p" ] && [ -x "$p" ] || exit ${exits.permission}
command -v tar >/dev/null || exit ${exits.noTar}
cd -P "\${p%/}/" || exit ${exits.toolFailed}
known=$(stat -c '${statFormat}' .) || exit ${exits.toolFailed}
echo "D $known"
root=$(pwd -P && echo .)
printf '%s\\0' "\${root%??}"
set --
case $(tar --version 2>/dev/null) in
  *GNU*) set -- --format=posix --pax-option=delete=atime,delete=ctime --quoting-style=escape -b 128 ;;
esac
exec 4>&1
said=$(tar "$@" -cf - . 2>&1 >&4 4>&-)
status=$?
[ -z "$said" ] || printf '%s\\n' "$said" >&2
[ "$status" = 0 ] || exit ${tarSpoke}
`;

/** Name of the folder that {@link unpackScript} takes the tree from, where the target is new. */
export const unpackedFolder = 'tree';
/** Last file of an archive that {@link unpackScript} unpacks: without it the archive was cut off. */
export const endMark = 'end';

/** What the scripts that unpack print where tar made the links that lead upwards after everything else: after the times. */
export const linksCameLate = 'late';

/** BusyBox does so, lest anything be written through them. `$1` is 1 where there are such links. */
const lateLinksScript = `
tell_late_links() {
  [ "$1" = 1 ] || return 0
  case $(tar --version 2>/dev/null) in *GNU*) ;; *) echo ${linksCameLate} ;; esac
}
`;

/**
 * `TEMPORARY HAS_UPWARD_LINKS MODE`: unpacks an archive beside the path, and renames its folder `tree` to it. The folder
 * gets its mode only then: one that must not be written to cannot be moved.
 */
export const unpackScript: string = `${pathScript}${lateLinksScript}
temporary=$1 upward=$2 mode=$3
command -v tar >/dev/null || exit ${exits.noTar}
if [ -d "$p" ]; then exit ${exits.mustMerge}
elif [ -e "$p" ]; then exit ${exits.notDirectory}
elif [ -L "$p" ]; then exit ${exits.exists}
fi
folder=\${p%/*}
make_folder "$folder/"
new=$folder/$temporary
drop() {
  rm -rf "$new"
  exit "$1"
}
umask 077
mkdir "$new" || exit ${exits.toolFailed}
mkdir "$new/${unpackedFolder}" || drop ${exits.toolFailed}
cd "$new" || drop ${exits.toolFailed}
# For other users than root, BusyBox takes it off the modes whatever -p says. Nobody else can look in here.
umask 0
tar -xopf - || drop ${exits.toolFailed}
[ -f ${endMark} ] || drop ${exits.incomplete}
cd /
if [ -e "$p" ] || [ -L "$p" ]; then drop ${exits.exists}; fi
mv -f "$new/${unpackedFolder}" "$p" || drop ${exits.toolFailed}
chmod "$mode" "$p" || drop ${exits.toolFailed}
rm -rf "$new"
tell_late_links "$upward"
`;

/** `TEMPORARY HAS_UPWARD_LINKS`: unpacks an archive into the folder; the file of that name in it is its end mark, and is removed. */
export const mergeScript: string = `${pathScript}${lateLinksScript}
cd "\${p%/}/" || exit ${exits.toolFailed}
# New folders are closed to others until they get their modes, but BusyBox would take that off all modes for good.
case $(tar --version 2>/dev/null) in *GNU*) umask 077 ;; *) umask 0 ;; esac
tar -xopf - || exit ${exits.toolFailed}
[ -f "$1" ] || exit ${exits.incomplete}
rm -f "$1"
tell_late_links "$2"
`;

/** Reads times, in seconds, and folders, each ended by NUL, and gives each folder its time. */
export const timesScript: string = `${pathScript}
cd "\${p%/}/" || exit ${exits.toolFailed}
xargs -0 -n 200 sh -c '
while [ $# -gt 1 ]; do
  touch -d "@$1" "./$2" 2>/dev/null || touch -d "@\${1%.*}" "./$2" || exit 255
  shift 2
done' talaria || exit ${exits.toolFailed}
`;

/**
 * Reads items, each ended by NUL: `d`, `f` or `l` for a folder, a file or a link, and a name in the folder. Prints, in the
 * same form, `d` for a folder that is there already, and what cannot be put where it is to go: `L` for a link in the place
 * of a folder, `N` for anything else in its place, and `F` for a folder in the place of a file or a link.
 */
export const conflictsScript: string = `${pathScript}
command -v tar >/dev/null || exit ${exits.noTar}
cd "\${p%/}/" || exit ${exits.toolFailed}
xargs -0 sh -c '
for item; do
  name=./\${item#?}
  case $item in
    d*)
      if [ -L "$name" ]; then found=L
      elif [ -d "$name" ]; then found=d
      elif [ -e "$name" ]; then found=N
      else continue
      fi ;;
    *)
      [ -d "$name" ] && [ ! -L "$name" ] || continue
      found=F ;;
  esac
  printf "%s\\\\0" "$found\${item#?}"
done' talaria || exit ${exits.toolFailed}
`;

/** Reads names in the folder, each ended by NUL, and prints a line with the SHA-256 sum of each. */
export const sumsScript: string = `${pathScript}
if [ ! -d "$p" ]; then
  sha256sum <"$p" || exit ${exits.toolFailed}
  exit 0
fi
cd "\${p%/}/" || exit ${exits.toolFailed}
xargs -0 sh -c 'for name; do sha256sum <"./$name" || exit 255; done' talaria || exit ${exits.toolFailed}
`;
