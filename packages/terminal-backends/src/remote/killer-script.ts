/**
 * Ends processes inside a sandbox (spec/terminal-backends.md 1.4), for any POSIX shell. Called with
 * `GRACE_MS exec ID`: all of one command; `GRACE_MS sandbox ID LIMIT`: all of a sandbox, by its name or its hidden limit
 * (`-` for none); `GRACE_MS all`: all but the first process and what is of its session. Descendants and members of a
 * session that a marked process leads are meant too, so that children of another user, whose environment cannot be read,
 * are found. SIGTERM, the grace time, then SIGSTOP and SIGKILL until none is left; prints the numbers of those that are
 * still there.
 */
export const killerScript = `
grace=$1 mode=$2 id=$3 limit=$4 targets=

# Files of /proc with $1 as a whole entry, of those that follow: a name may be the beginning of another. Not every image
# has grep.
holding() {
  text=$1
  shift
  if command -v grep >/dev/null; then
    grep -szlxF -e "$text" "$@"
  else
    for file; do
      case " $(cat "$file" 2>/dev/null | tr '\\0' ' ') " in *" $text "*) echo "$file" ;; esac
    done
  fi
}

# Numbers of the processes that bear the mark.
marked() {
  case $mode in
    exec) files=$(holding "TALARIA_EXEC_ID=$id" /proc/[0-9]*/environ) ;;
    sandbox)
      files=$(holding "TALARIA_SANDBOX_ID=$id" /proc/[0-9]*/environ)
      [ "$limit" = - ] || files="$files $(grep -slE "^Max realtime timeout +$limit " /proc/[0-9]*/limits)" ;;
    all) files=$(echo /proc/[0-9]*/stat) ;;
  esac
  for file in $files; do
    file=\${file#/proc/}
    echo "\${file%%/*}"
  done
}

# Sets state, parent and session of the process $1; fails where it has ended.
look() {
  state= line=
  { IFS= read -r line <"/proc/$1/stat"; } 2>/dev/null
  case $line in
    *") "*) ;;
    # A name with a line break in it.
    *) line=$(cat "/proc/$1/stat" 2>/dev/null) ;;
  esac
  [ -n "$line" ] || return 1
  rest=\${line##*) }
  state=\${rest%% *} rest=\${rest#* }
  parent=\${rest%% *} rest=\${rest#* }
  rest=\${rest#* }
  session=\${rest%% *}
  case $state in Z | X) return 1 ;; esac
}

# This script, and all that it descends from.
own=" "
pid=$$
while [ "$pid" -gt 1 ] 2>/dev/null && look "$pid"; do
  own="$own$pid "
  pid=$parent
done

collect() {
  found=" " sessions=" "
  for pid in $(marked) $targets; do
    case "$own$found" in *" $pid "*) continue ;; esac
    [ "$pid" != 1 ] && look "$pid" || continue
    # What the first process itself started would come again: nothing else can be of its session.
    [ "$mode" != all ] || [ "$session" != 1 ] || continue
    found="$found$pid "
    [ "$session" != "$pid" ] || sessions="$sessions$pid "
  done
  [ "$mode" != all ] && [ "$found" != " " ] || return 0
  grown=1
  while [ "$grown" = 1 ]; do
    grown=0
    for folder in /proc/[0-9]*; do
      pid=\${folder#/proc/}
      case "$own$found" in *" $pid "*) continue ;; esac
      [ "$pid" != 1 ] && look "$pid" || continue
      case "$found" in *" $parent "*) ;; *) case "$sessions" in *" $session "*) ;; *) continue ;; esac ;; esac
      found="$found$pid "
      [ "$session" != "$pid" ] || sessions="$sessions$pid "
      grown=1
    done
  done
}

signal() { [ "$found" = " " ] || kill "-$1" $found 2>/dev/null; }
pause() { sleep "$1" 2>/dev/null || sleep 1; }

collect
signal TERM
targets=$found
waited=0 step=5
while [ "$waited" -lt "$grace" ] && [ "$found" != " " ]; do
  pause "0.$(printf %03d "$step")"
  waited=$((waited + step))
  [ "$step" -ge 50 ] || step=$((step * 2))
  collect
  targets=$found
done
round=0
while [ "$found" != " " ] && [ "$round" -lt 20 ]; do
  signal STOP
  signal KILL
  pause 0.01
  targets=$found
  collect
  round=$((round + 1))
done
echo $found
`;
