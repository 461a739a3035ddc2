/**
 * The text of a shell script that runs Podman's service, with the folder of storage and socket as `$1`. All that it does to
 * the machine happens in name spaces of its own: bridges and packet filters (those of a Docker engine are not touched),
 * mounts, and what it keeps in `/run` until the next boot. Whatever runs in its containers ends with it.
 */
export const podmanEntry = `
unshare --net --mount --pid --fork --kill-child --mount-proc -- /bin/sh -euc '
  ip link set lo up
  mount -t tmpfs tmpfs /run
  mount -t tmpfs tmpfs /dev/shm
  mkdir -p "$1/networks"
  rm -f "$1/podman.sock"
  # As a child: the first process of the name space reaps what loses its parent, which Podman does not.
  podman --root "$1/storage" --network-config-dir "$1/networks" --storage-driver overlay --runtime runc \\
    --cgroup-manager cgroupfs --events-backend file system service --time=0 "unix://$1/podman.sock" &
  wait $!
' podman "$1" &
# unshare itself holds SIGTERM back.
trap 'kill -KILL $!' TERM INT
wait $!
`;
