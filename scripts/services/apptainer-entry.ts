/**
 * The text of a program named `apptainer` that runs the one of another root. A plain chroot is refused by Apptainer's
 * starter, so it enters by `pivot_root` in a mount namespace of its own; what the host has outside its system folders
 * stands there under the same path, so that paths mean the same inside and outside.
 */
export function apptainerEntry(root: string): string {
  return `#!/bin/sh
exec unshare --mount --propagation private -- /bin/sh -euc '
root=$1
shift
mount --bind "$root" /mnt
for folder in /*; do
  case $folder in /bin | /boot | /etc | /lib* | /mnt | /proc | /sbin | /usr | /var) continue ;; esac
  if [ -d "$folder" ] && [ ! -L "$folder" ]; then
    [ -d "/mnt$folder" ] || mkdir -p "/mnt$folder"
    mount --rbind "$folder" "/mnt$folder"
  fi
done
mount -t proc proc /mnt/proc
for file in /etc/hosts /etc/resolv.conf; do
  [ -e "$file" ] || continue
  [ -e "/mnt$file" ] || : >"/mnt$file"
  mount --bind "$file" "/mnt$file"
done
here=$PWD
cd /mnt
pivot_root . .
umount -l .
cd "$here" 2>/dev/null || cd /
exec /usr/bin/apptainer "$@"
' apptainer ${quote(root)} "$@"
`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
