/**
 * The shell that stands ready inside a sandbox and starts a fresh bash for every command (the command channel,
 * feasibility.md 1). Called with `ID BASE`, the first one of a sandbox makes the state folder, below BASE if that is not
 * empty and can be written to, and tells what it found out, in entries that end with NUL (see `sandbox-facts.ts`). Called
 * with `ID BASE FOLDER`, it uses the folder that an earlier one made.
 *
 * It reads requests: a line of the words {@link requestFields} and then as many bytes as the lengths in it say. It
 * answers with `\x1eB:NONCE\x1e`, the bytes of the command's output, `\x1eE:NONCE:STATUS:SAVED:FOLDER` and
 * `\x1eZ:NONCE\x1e`. STATUS is a number, or a word where nothing was started: `no-state` (the folder with the state was
 * taken away; a new one is there), `no-space` (the input did not fit; the launcher ends).
 *
 * - The command's bash leads a session of its own, is a child of the launcher, and knows nothing of it.
 * - Output goes through a named pipe and a `cat`: the launcher writes the end of the answer into the same pipe, so that
 *   the order is certain. What still holds the pipe after that, in the background, writes into nothing from the next
 *   request on. Pipe and `cat` are made ahead, while nobody waits.
 * - Files of its own are nobody else's; a command has the file mode mask that the sandbox gives.
 * - Nothing is exported but `PATH`, so that the saved state alone decides on variables.
 */
export const launcherScript = `
trap : HUP INT TERM
mask=$(umask)
umask 077
id=$1 base=$2 D=$3 w= r= nw= nr= pump= next=

state_folder() {
  local folder
  for folder in \${base:+"$base"} "\${TMPDIR:-/tmp}" /tmp /var/tmp /dev/shm "$HOME"; do
    D=$folder/.talaria-$id
    mkdir -m 700 -- "$D" 2>/dev/null && return 0
    [[ -d $D && ! -L $D && -O $D ]] && { chmod 700 -- "$D"; return 0; }
  done
  D=
  return 1
}

fact() { printf '%s\\0' "$1"; }

# What the host wants to know of a new sandbox.
describe() {
  local login entry
  fact "\${HOME:-$(cd ~ 2>/dev/null && pwd)}"
  fact "$UID"
  fact "$(id -un 2>/dev/null)"
  fact "$PWD"
  fact "$PATH"
  exec {login}< <(exec bash -lc 'printf "\\0talaria\\0"; for name in $(compgen -e); do printf "%s=%s\\0" "$name" "\${!name}"; done' </dev/null 2>/dev/null)
  while IFS= read -r -d '' -t 30 entry <&$login && [[ $entry != talaria ]]; do :; done
  while IFS= read -r -d '' -t 30 entry <&$login; do fact "$entry"; done
  exec {login}<&-
}

# Empties a pipe to its end: what a command writes when it is told to end is to come through.
drain() {
  trap '' HUP INT TERM
  exec cat
}

# Makes the pipe of the next command, and what empties it.
prepare() {
  nr= nw= next=
  mkfifo -m 600 "$D/pipe.$$" 2>/dev/null || return 0
  local both
  exec {both}<>"$D/pipe.$$" {nr}<"$D/pipe.$$" {nw}>"$D/pipe.$$" {both}>&-
  rm -f "$D/pipe.$$"
  if [[ $r ]]; then drain <&$nr {nw}>&- {r}<&- & else drain <&$nr {nw}>&- & fi
  next=$!
}

# The pipe of the command before: where something in the background still writes to it, that goes nowhere from now on.
settle() {
  [[ $pump ]] || return 0
  if kill -0 "$pump" 2>/dev/null; then
    cat <&$r >/dev/null 2>&1 {nr}<&- {nw}>&- & disown $!
    kill -KILL "$pump" 2>/dev/null
  fi
  wait "$pump" 2>/dev/null
  exec {r}<&-
  pump= r=
}

# Where the input of a command stands until it is opened: not in memory, which it might fill.
place_input() {
  input_file=$D/input-$1
  [[ $base && $D = "$base"/* ]] || return 0
  local folder
  for folder in "\${TMPDIR:-/tmp}" /tmp /var/tmp; do
    [[ -d $folder && -w $folder ]] && { input_file=$folder/.talaria-input-$1; return 0; }
  done
}

take() { # FILE LENGTH: the next bytes of the input; fails where they do not fit
  dd bs=65536 count="$2" iflag=fullblock,count_bytes of="$1" 2>/dev/null || return 1
}

# Nothing may stand in the way where the command saves its state, and a file mode mask may have locked its files.
clear_way() {
  [[ ! -e $1 && ! -L $1 ]] && return 0
  [[ -f $1 && ! -L $1 ]] || rm -rf -- "$1"
}

answer() { # NONCE STATUS SAVED FOLDER
  printf '\\036E:%s:%s:%s:%s\\036Z:%s\\036' "$1" "$2" "$3" "$4" "$1"
}

serve() {
  local op exec_id nonce text_length vars_length folder_length file_length input_length load save
  while IFS=' ' read -r op exec_id nonce text_length vars_length folder_length file_length input_length load save; do
    [[ $op = R ]] || continue
    local text= vars= folder= input_file= status=0 saved=0 input= child= started_in= ended_in= ended_id=
    IFS= read -r -N "$text_length" text
    (( vars_length )) && IFS= read -r -N "$vars_length" vars
    (( folder_length )) && IFS= read -r -N "$folder_length" folder
    if [[ ! -d $D ]]; then
      # What follows is read all the same, to stand before the next request.
      (( file_length )) && take /dev/null "$file_length"
      [[ $input_length = - ]] || take /dev/null "$input_length"
      state_folder
      printf '\\036B:%s\\036' "$nonce"
      answer "$nonce" no-state 0 "$D"
      continue
    fi
    place_input "$exec_id"
    if { (( file_length )) && ! take "$D/command-$exec_id" "$file_length"; } ||
      { [[ $input_length != - ]] && ! take "$input_file" "$input_length"; }; then
      rm -f "$D/command-$exec_id" "$input_file"
      printf '\\036B:%s\\036' "$nonce"
      answer "$nonce" no-space 0 ''
      return
    fi
    settle
    [[ $nw ]] || prepare
    w=$nw r=$nr pump=$next
    printf '\\036B:%s\\036' "$nonce"
    if [[ $input_length = - ]]; then
      exec {input}</dev/null
    else
      exec {input}<"$input_file"
      rm -f "$input_file"
    fi
    if [[ $save != - ]]; then
      [[ -f $D/environment-$load ]] || { clear_way "$D/environment-$load"; cp "$D/environment" "$D/environment-$load"; }
      clear_way "$D/environment-$save"
      clear_way "$D/end"
      # Only where the caller named a folder does it matter where the command began.
      [[ $folder ]] && started_in=$(cd -P -- "$folder" 2>/dev/null && pwd)
    fi
    if [[ $w ]]; then
      (exec {r}<&- {w}>&-; start_command) <&$input >&$w 2>&1 {input}<&- &
    else
      (start_command) <&$input 2>&1 {input}<&- &
    fi
    child=$!
    exec {input}<&-
    wait "$child" 2>/dev/null
    status=$?
    # A signal of the launcher's own ends a wait early.
    while kill -0 "$child" 2>/dev/null; do
      wait "$child" 2>/dev/null
      status=$?
    done
    if [[ $save != - && -f $D/end ]]; then
      [[ -r $D/end && -r $D/environment-$save ]] || chmod 600 "$D/end" "$D/environment-$save" 2>/dev/null
      {
        IFS= read -r -d '' ended_id
        IFS= read -r -d '' ended_in
      } <"$D/end"
      [[ $ended_id = "$exec_id" && $ended_in = *$'\\n' ]] && saved=1
      ended_in=\${ended_in%$'\\n'}
      [[ $saved = 0 || $ended_in = "$started_in" ]] && ended_in=
    fi
    (( file_length )) && rm -f "$D/command-$exec_id"
    if [[ $w ]]; then
      answer "$nonce" "$status" "$saved" "$ended_in" >&$w
      exec {w}>&-
      prepare
    else
      answer "$nonce" "$status" "$saved" "$ended_in"
    fi
  done
}

# Becomes the command. By position, since a variable of the command may be called like one of this script.
start_command() {
  umask "$mask"
  set -- "$run" "$BASH" "$text"
  { eval "$vars"; } 2>/dev/null
  exec \${1:+"$1"} "$2" --noprofile --norc -c "$3" bash
}

printf '\\036B:hello\\036'
if [[ $D ]]; then
  [[ -d $D ]] || state_folder
else
  state_folder && describe
fi
for name in $(compgen -e); do
  [[ $name = PATH ]] || declare +x "$name"
done
LC_ALL=C
run=$(command -v setsid)
answer hello 0 0 "$D"
[[ $D ]] || exit 1
prepare
serve
`;

/** The words of a request's first line, in order: `R`, and what follows it. `-` stands for none. */
export const requestFields = [
  'execId',
  'nonce',
  'textLength',
  'variablesLength',
  'folderLength',
  'fileLength',
  'inputLength',
  'loadIndex',
  'saveIndex',
] as const;
