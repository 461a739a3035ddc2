/** Finds a folder for jobs, in memory where that can be: a full disk must not swallow what a command says about it. */
export const placeScript = `
mask=$(umask)
umask 077
for base in /dev/shm "\${TMPDIR:-/tmp}" /tmp /var/tmp "$HOME"; do
  folder=$base/.talaria-jobs-$2
  mkdir -p -m 700 "$folder" && echo x >"$folder/probe" && rm "$folder/probe" && {
    echo "place $mask $folder"
    command -v setsid || echo
    exit
  }
done 2>/dev/null
`;
