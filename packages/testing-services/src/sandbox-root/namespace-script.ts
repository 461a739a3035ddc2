/**
 * What the first process of a namespace runs: it builds the file system of the sandbox from the host's programs,
 * read-only, and a folder for everything else, enters it, prints its own number as the host sees it, and waits until its
 * standard input ends. Bash reaps orphans while it waits. Arguments: the folder, `user` or `root`, `yes` or `no` for the
 * network.
 */
export const namespaceScript: string = `
set -e
PATH=/usr/sbin:/usr/bin:/sbin:/bin
root=$1
# Still the host's process table, so the first field is the host's number of this shell.
read -r pid _ </proc/self/stat
mount --rbind "$root" "$root"
share() {
  mkdir -p "$root$1"
  mount --rbind "$1" "$root$1"
  # Without privileges the flags of some mounts are locked; what is not ours cannot be written there anyway.
  mount -o remount,bind,ro "$root$1" 2>/dev/null || [ "$2" = user ]
}
for name in /bin /sbin /lib /lib32 /lib64 /libx32 /usr /opt /etc/alternatives /etc/ssl/certs; do
  if [ -L "$name" ]; then [ -L "$root$name" ] || cp -P "$name" "$root$name"
  elif [ -d "$name" ]; then share "$name" "$2"
  fi
done
mkdir -p "$root/dev" "$root/proc"
mount -t tmpfs -o mode=755 dev "$root/dev"
mkdir -m 1777 "$root/dev/shm"
for name in null zero full random urandom tty; do
  : >"$root/dev/$name"
  mount --bind "/dev/$name" "$root/dev/$name"
done
ln -s /proc/self/fd "$root/dev/fd"
ln -s fd/0 "$root/dev/stdin"
ln -s fd/1 "$root/dev/stdout"
ln -s fd/2 "$root/dev/stderr"
mkdir "$root/dev/pts"
# A kernel without private terminals gives a sandbox without any.
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts" 2>/dev/null || :
ln -s pts/ptmx "$root/dev/ptmx"
mount -t proc proc "$root/proc"
echo sandbox 2>/dev/null >"$root/proc/sys/kernel/hostname" || :
[ "$3" = yes ] || ip link set lo up
cd "$root"
mkdir -p .outside
pivot_root . .outside
umount -l /.outside
cd /
rmdir /.outside
echo "$pid"
exec -c -a init /bin/bash -c 'while read -r _; do :; done' >/dev/null 2>&1
`;
