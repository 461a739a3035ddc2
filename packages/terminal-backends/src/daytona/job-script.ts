/**
 * What the daemon is asked to run, with itself as the first argument. A process inside a sandbox is a *job*: a folder below `BASE`, named by the host, in which
 * a supervisor keeps what the host wants to know. Every request may be sent again: a job is started once, whoever asks.
 * For any POSIX shell, with `base64`, `dd`, `head`, `mkfifo`, `tail` and `wc`.
 *
 * - `o.OFFSET` and `e.OFFSET`: pieces of both outputs, named by where they begin (plus 10^15, so that they sort). They
 *   grow and go as a whole, so that whoever reads them is never disturbed.
 * - `run`: it was started. `exit.N`: its exit code. `end`: its outputs are complete, or held by something in the background
 *   only. `stop`: what still comes goes nowhere. `dropped`: it is to be killed.
 * - `in.N`: the next bytes of its input; `in.N.ok` when it has taken them.
 */
export const jobScript = `
umask 077
exec 2>/dev/null
self=$1 op=$2 base=$3 job=$4
shift 4
stamp=1000000000000000

nap() {
  case $1 in
    10) sleep 0.01 ;;
    20) sleep 0.02 ;;
    40) sleep 0.04 ;;
    *) sleep 0.1 ;;
  esac || sleep 1
}

has_exited() {
  for found in exit.*; do
    [ -e "$found" ]
    return
  done
}

# Sets end to where an output ends so far.
measure() {
  end=0
  for file in "$1".1*; do :; done
  [ -e "$file" ] && size=$(wc -c <"$file") && end=$((\${file#*.} - stamp + size))
}

# NAME POSITION MAX: what follows there, in pieces that begin where they say.
give() {
  at=$2 left=$3 given=0 previous= end=0
  if [ "$latest" = 1 ]; then
    measure "$1"
    [ $((end - at)) -le "$left" ] || at=$((end - left))
  fi
  for file in "$1".1*; do
    size=$(wc -c <"$file") || continue
    [ "$release" = 1 ] && [ "$previous" ] && [ "$end" -le "$2" ] && rm -f "$previous"
    from=$((\${file#*.} - stamp)) previous=$file
    end=$((from + size))
    [ "$left" -gt 0 ] && [ "$end" -gt "$at" ] || continue
    if [ "$from" -gt "$at" ]; then
      # What follows a gap begins an answer of its own.
      [ "$given" = 0 ] || { left=0 && continue; }
      at=$from
    fi
    given=$((end - at))
    [ "$given" -le "$left" ] || given=$left
    echo ":$1 $at"
    if [ "$given" = "$size" ]; then base64 <"$file"; else tail -c +$((at - from + 1)) "$file" | head -c "$given" | base64; fi
    at=$((at + given)) left=$((left - given))
  done
  echo ":$1-end $end"
}

answer() {
  state=starting code=-
  [ -e run ] && state=running
  has_exited && state=exited code=\${found#exit.}
  [ -e end ] && state=ended
  [ -e full ] && echo full
  echo "state $state $code"
  give o "$out_at" "$out_max"
  [ "$err_max" = 0 ] || give e "$err_at" "$err_max"
  echo .
}

# Until there is something to tell.
await() {
  waited=0 step=10 exited_at=
  while [ "$waited" -lt "$wait" ]; do
    [ -e end ] && return
    if has_exited; then
      : "\${exited_at:=$waited}"
      [ $((waited - exited_at)) -lt 60 ] || return
      step=10
    elif [ -e run ]; then
      started=1
      if [ "$news_after" -ge 0 ] && [ "$waited" -ge "$news_after" ]; then
        measure o
        [ "$end" -le "$out_at" ] || return
        measure e
        [ "$end" -le "$err_at" ] || return
      fi
    else
      [ "$started" != 1 ] || return
    fi
    nap "$step"
    waited=$((waited + step))
    # A step is no longer than an eighth of what was waited.
    [ $((step * 8)) -gt "$waited" ] || [ "$step" -ge 80 ] || step=$((step * 2))
  done
}

# COUNT PATH...: writes what came as variables.
place() {
  index=0
  while [ "$index" -lt "$count" ]; do
    eval "content=\\$TALARIA_FILE_$index; unset TALARIA_FILE_$index"
    [ -d "\${1%/*}" ] || mkdir -p -m 700 "\${1%/*}"
    printf %s "$content" | base64 -d >"$1" || return 1
    index=$((index + 1))
    shift
  done
}

poll_options() {
  wait=$1 news_after=$2 latest=$3 release=$4 out_at=$5 out_max=$6 err_at=$7 err_max=$8
}

case $op in
  start)
    poll_options "$@"
    shift 8
    old=$1 supervisor=$2 run=$3 mask=$4 has_stdin=$5 has_stderr=$6 head=$7 tail=$8
    shift 8
    count=$1
    shift
    if [ "$count" -gt 0 ] && [ -z "\${TALARIA_FILE_0+set}" ]; then echo no-variables; exit; fi
    cd "$base" || { mkdir -p -m 700 "$base" && cd "$base"; } || { echo failed; exit; }
    [ -z "$old" ] || rm -rf $old
    if mkdir "$job"; then
      place "$@" || { rmdir "$job"; echo no-space; exit; }
      shift "$count"
      cd "$job" || exit
      $run sh -c "$supervisor" talaria "$run" "$mask" "$has_stdin" "$has_stderr" "$head" "$tail" "$@" </dev/null >/dev/null 2>&1 &
    else
      cd "$job" || { echo failed; exit; }
    fi
    if [ "$count" -gt 0 ]; then
      # What came as variables is not to be seen for as long as this waits.
      forget=
      while [ "$count" -gt 0 ]; do
        count=$((count - 1))
        forget="$forget -u TALARIA_FILE_$count"
      done
      exec env $forget sh -c 'eval "$1"' talaria "$self" poll "$base" "$job" "$wait" "$news_after" "$latest" "$release" "$out_at" "$out_max" "$err_at" "$err_max"
    fi
    await
    answer
    ;;
  poll)
    poll_options "$@"
    cd "$base/$job" || { echo gone; exit; }
    await
    answer
    ;;
  feed)
    # WAIT NUMBER COUNT PATH
    wait=$1 number=$2 count=$3
    shift 3
    cd "$base/$job" || { echo gone; exit; }
    if [ ! -d "in.$number.sent" ]; then
      place "$@" || { echo no-space; exit; }
    fi
    waited=0
    until [ -e run ] || [ "$waited" -ge "$wait" ]; do nap 10; waited=$((waited + 10)); done
    mkdir "in.$number.sent" && echo "$number" 1<>in.control
    until [ -e "in.$number.ok" ] || [ -e "in.$number.broken" ] || has_exited || [ "$waited" -ge "$wait" ]; do
      nap 10
      waited=$((waited + 10))
    done
    if [ -e "in.$number.ok" ]; then echo fed; elif [ -e "in.$number.broken" ] || has_exited; then echo closed; else echo busy; fi
    ;;
  drop)
    # Where the request that starts it is still to come, that finds this folder, and starts nothing.
    cd "$base" && mkdir "$job" && exit
    cd "$job" || exit
    if [ "$1" = kill ]; then
      # Before its number is looked for: a supervisor that has not written that yet sees this afterwards.
      : >dropped
      # It may be about to get a group of its own.
      read -r pid <pid && kill -9 "-$pid" "$pid" "-$pid"
    fi
    : >stop
    cd "$base" && rm -rf "$job"
    ;;
esac
`;
