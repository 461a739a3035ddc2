import { pathScript, scriptExits } from './path-script.ts';

const exits = scriptExits;

/**
 * `open_target`: finds where writing to the path ends up, `$t`, what it replaces, `$old`, and makes its folder; `$new` is the
 * temporary file beside it. `drop CODE` removes that and ends.
 */
export const openTargetScript: string = `
open_target() {
  old= t=$p
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
}
drop() {
  rm -f "$new"
  exit "$1"
}
`;

/** `take_arguments "$@"` and `finish_write`: gives the temporary file all that {@link writeScript} says, and its name. */
export const finishWriteScript: string = `
take_arguments() {
  temporary=$1 size=$2 mode=$3 is_exclusive=$4 time=$5 keeps_owner=$6 has_sum=$7
}
finish_write() {
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
}
`;

/**
 * `TEMPORARY SIZE MODE IS_EXCLUSIVE TIME KEEPS_OWNER HAS_SUM`: writes its input to a temporary file beside the end of the
 * links, gives that mode (empty: that of the file it replaces, else 644), time (empty: now) and, where it keeps the
 * owner, the one of the file that it replaces; prints the SHA-256 sum, and renames it into place.
 */
export const writeScript: string = `${pathScript}${openTargetScript}${finishWriteScript}
take_arguments "$@"
open_target
(umask 077 && set -C && cat >"$new") || drop ${exits.toolFailed}
finish_write
`;

/** `TEMPORARY FOLLOWS`: removes what {@link writeScript} or an unpacking that was ended may have left. */
export const discardScript: string = `${pathScript}
t=$p
[ "$2" = 0 ] || follow
rm -rf "\${t%/*}/$1"
`;
