/**
 * Stands beside a job until it ends. Called in the folder of the job, with what starts a session (or nothing), the file
 * mode mask, whether the job has an input and a standard error of its own, how many bytes of the head and the tail of each
 * output are kept (`- -`: all, and the job waits for the host), and the words of the program.
 */
export const supervisorScript = `
trap : HUP INT TERM
run=$1 mask=$2 has_stdin=$3 has_stderr=$4 head=$5 tail=$6
shift 6
stamp=1000000000000000
piece=1048576 most_pieces=8

pump() {
  name=$1 start=0 most=0 kept=
  while :; do
    file=$name.$((stamp + start))
    # Not by count of bytes: whatever comes is to be seen at once.
    said=$(LC_ALL=C dd bs=16384 count=64 2>&1 >>"$file") || {
      true >full
      cat >/dev/null
      break
    }
    [ -e stop ] && exec cat >/dev/null
    # Before this number, FULL+PARTIAL blocks, there may be a warning.
    said=\${said%% records in*} said=\${said##*[!0-9+]}
    blocks=$((\${said%+*} + \${said#*+}))
    [ "$blocks" -gt 0 ] || break
    # The file is looked at only where it may be large.
    most=$((most + blocks * 16384))
    [ "$most" -ge "$piece" ] || continue
    size=$(wc -c <"$file") || break
    [ "$size" -ge "$piece" ] || { most=$size && continue; }
    kept="$kept $start" start=$((start + size)) most=0
    if [ "$tail" = - ]; then
      while set -- "$name".1* && [ "$#" -ge "$most_pieces" ] && [ -e run ] && [ ! -e stop ]; do sleep 0.01; done
    else
      trim
    fi
  done
  : >"$name.done"
}

# Takes away the pieces between the head and the tail.
trim() {
  rest= from=
  for at in $kept $start; do
    if [ "$from" ]; then
      if [ "$from" -ge "$head" ] && [ "$at" -le $((start - tail)) ]; then
        rm -f "$name.$((stamp + from))"
      else
        rest="$rest $from"
      fi
    fi
    from=$at
  done
  kept=$rest
}

feed() {
  exec 7<>in.control 8>in.pipe
  while read -r number <&7; do
    [ "$number" != end ] || { : >in.end.ok && exit; }
    if cat "in.$number" >&8; then : >"in.$number.ok"; else : >"in.$number.broken"; fi
    rm -f "in.$number"
  done
}

mkfifo o.pipe || exit
pump o <o.pipe &
exec 5>o.pipe
if [ "$has_stderr" = 1 ]; then
  mkfifo e.pipe
  pump e <e.pipe 5>&- &
  exec 6>e.pipe
else
  : >e.done
  exec 6>&5
fi
if [ "$has_stdin" = 1 ]; then
  mkfifo in.control in.pipe
  feed 5>&- 6>&- &
  feeder=$!
  exec 4<in.pipe
else
  exec 4</dev/null
fi
: >run || exit
(cd / && umask "$mask" && exec $run "$@") <&4 >&5 2>&6 4<&- 5>&- 6>&- &
child=$!
echo "$child" >pid
# Nobody wants it any more.
[ -e run ] && [ ! -e dropped ] || kill -9 "-$child" "$child" "-$child"
exec 4<&- 5>&- 6>&-
wait "$child"
status=$?
while kill -0 "$child" 2>/dev/null; do
  wait "$child"
  status=$?
done
# By its name: there may be no room for a byte.
true >"exit.$status"
[ -z "$feeder" ] || kill "$feeder"
if [ "$tail" = - ]; then
  wait
else
  tries=0
  until [ -e o.done ] && [ -e e.done ] || [ "$tries" -ge 60 ]; do
    sleep 0.005 || sleep 1
    tries=$((tries + 1))
  done
fi
: >stop
: >end
`;
