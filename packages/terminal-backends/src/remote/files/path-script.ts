/** How a script of Talaria's own tells why it stopped, beside 0: numbers that no tool and no shell ends with. */
export const scriptExits = {
  /** A tool failed; what it wrote to standard error says why. */
  toolFailed: 80,
  isDirectory: 82,
  notDirectory: 83,
  irregular: 84,
  linkCircle: 85,
  exists: 86,
  permission: 87,
  /** Not all bytes arrived. */
  incomplete: 88,
  /** It would take away what holds the sandbox. */
  holder: 89,
  noTar: 90,
  noUser: 91,
  /** The folder is there already, so that what comes must be put among what it holds. */
  mustMerge: 92,
  /** It is not where a carrier of files reaches. */
  notReached: 94,
} as const;

const exits = scriptExits;

/**
 * Start of every script about a path. `$1` names the user whose home `$2` is below, or is empty where `$2` is absolute;
 * both are taken off, and `$p` is the path. Paths are absolute, so none is ever taken for an option.
 */
export const pathScript: string = `
take_path() {
  p=$2
  [ -n "$1" ] || return 0
  home=
  if [ -r /etc/passwd ]; then
    while IFS=: read -r name x x x x found x; do
      if [ "$name" = "$1" ]; then home=$found/; break; fi
    done </etc/passwd
  fi
  if [ -z "$home" ]; then
    home=$(getent passwd -- "$1" 2>/dev/null) || exit ${exits.noUser}
    home=\${home#*:*:*:*:*:}
    home=\${home%%:*}/
  fi
  while case $home in */) true ;; *) false ;; esac; do home=\${home%/}; done
  p=$home$2
  [ -n "$p" ] || p=/
}
# Ends with what the system says of a path.
explain() {
  stat -L "$1" >/dev/null
  exit ${exits.toolFailed}
}
# Makes a folder and those above it. Of what is in the way, GNU and BusyBox say different things.
make_folder() {
  [ -d "$1" ] || mkdir -p "$1" || {
    in_the_way=\${1%/}
    case $(stat -L "$in_the_way" 2>&1) in *"Too many levels"*) exit ${exits.linkCircle} ;; esac
    if [ -e "$in_the_way" ] || [ -L "$in_the_way" ]; then exit ${exits.exists}; fi
    exit ${exits.toolFailed}
  }
}
# Follows $t to where writing to it ends up, which need not exist.
follow() {
  hops=0
  while [ -L "$t" ]; do
    hops=$((hops + 1))
    [ "$hops" -le 40 ] || exit ${exits.linkCircle}
    link=$(readlink -n "$t" && echo .) || exit ${exits.toolFailed}
    link=\${link%.}
    case $link in /*) t=$link ;; *) t=\${t%/*}/$link ;; esac
    while case $t in ?*/) true ;; *) false ;; esac; do t=\${t%/}; done
  done
}
take_path "$1" "$2"
shift 2
`;
