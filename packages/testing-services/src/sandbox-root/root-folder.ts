import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemErrorCode } from '@talaria/core';

/** Everything of the host's `/etc` that programs need and that tells nothing. */
const sharedSettings = ['ld.so.cache', 'ld.so.conf', 'nsswitch.conf', 'profile', 'hosts', 'resolv.conf', 'services'];

const users = `root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
daytona:x:1000:1000::/home/daytona:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
`;

const groups = `root:x:0:
daemon:x:1:
tty:x:5:
daytona:x:1000:
nogroup:x:65534:
`;

/** Makes a folder that a root can start from. */
export async function makeRootFolder(folders: readonly string[]): Promise<string> {
  const root = await makeEmptyFolder();
  for (const path of ['/etc', '/root', '/run', '/srv', '/mnt', '/var/log', '/var/lib', '/var/cache', ...folders]) {
    await mkdir(join(root, path), { recursive: true });
  }
  for (const path of ['/tmp', '/var/tmp']) {
    await mkdir(join(root, path), { recursive: true });
    await chmod(join(root, path), 0o1777);
  }
  await chmod(join(root, 'root'), 0o700);
  for (const name of sharedSettings) await copyIfThere(`/etc/${name}`, join(root, 'etc', name));
  await writeFile(join(root, 'etc/passwd'), users);
  await writeFile(join(root, 'etc/group'), groups);
  await writeFile(join(root, 'etc/hostname'), 'sandbox\n');
  return root;
}

/** Copies the files of another root, with owners, modes, times, links and pipes. */
export async function copyRootFolder(from: string): Promise<string> {
  const root = await makeEmptyFolder();
  await promisify(execFile)('cp', ['-a', '--', `${from}/.`, root]);
  return root;
}

async function makeEmptyFolder(): Promise<string> {
  // The kernel names mounts by their real path, and a temporary folder may be a link.
  const root = await mkdtemp(join(await realpath(tmpdir()), 'talaria-sandbox-'));
  await chmod(root, 0o755);
  return root;
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
}
