import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { failureOf, openModal, run } from './open-modal.ts';

// Each test starts a server and processes, on machines that may be busy.
jest.setTimeout(60_000);

test('files are written with their folders and read again, to the byte', async () => {
  await using modal = await openModal();
  const { filesystem } = await modal.create();
  const bytes = Uint8Array.from({ length: 1_000_003 }, (_, index) => (index * 31) & 255);
  await filesystem.writeBytes(bytes, '/project/new/deep/file.bin');
  expect(Buffer.from(await filesystem.readBytes('/project/new/deep/file.bin')).equals(Buffer.from(bytes))).toBe(true);
  await filesystem.writeText('short', '/project/new/deep/file.bin');
  expect(await filesystem.readText('/project/new/deep/file.bin')).toBe('short');
  await filesystem.writeBytes(new Uint8Array(0), '/project/empty');
  expect(await filesystem.readBytes('/project/empty')).toHaveLength(0);
});

test('files go up and down', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const folder = await mkdtemp(join(tmpdir(), 'talaria-modal-test-'));
  try {
    await writeFile(join(folder, 'up'), 'content');
    await sandbox.filesystem.copyFromLocal(join(folder, 'up'), '/tmp/up');
    expect((await run(sandbox, ['cat', '/tmp/up'])).stdout).toBe('content');
    await sandbox.filesystem.copyToLocal('/tmp/up', join(folder, 'down'));
    expect(await readFile(join(folder, 'down'), 'utf8')).toBe('content');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('entries tell what they are, links as links, and names of any kind', async () => {
  await using modal = await openModal();
  const sandbox = await modal.create();
  const names = ['-dash', 'a b', 'new\nline', 'quo"te', '😀'];
  await run(sandbox, ['mkdir', '/tmp/here']);
  for (const name of names) await sandbox.filesystem.writeText(name, `/tmp/here/${name}`);
  await run(sandbox, ['sh', '-c', 'cd /tmp/here; chmod 750 -- -dash; ln -s /nowhere link; mkdir folder']);
  const entries = await sandbox.filesystem.listFiles('/tmp/here');
  expect(entries.map((entry) => entry.name)).toEqual([...names, 'folder', 'link'].sort());
  expect(entries.find((entry) => entry.name === '-dash')).toMatchObject({
    path: '/tmp/here/-dash',
    type: 'file',
    size: 5,
    mode: 0o750,
    permissions: 'rwxr-x---',
    owner: 'root',
    symlinkTarget: null,
  });
  expect(await sandbox.filesystem.stat('/tmp/here/link')).toMatchObject({ type: 'symlink', symlinkTarget: '/nowhere' });
  expect(await sandbox.filesystem.stat('/tmp/here/folder')).toMatchObject({ type: 'directory' });
});

test('folders are made and removed', async () => {
  await using modal = await openModal();
  const { filesystem } = await modal.create();
  await filesystem.makeDirectory('/project/a/b');
  await filesystem.makeDirectory('/project/a/b');
  expect(await failureOf(filesystem.makeDirectory('/project/a/b', { createParents: false }))).toMatchObject({
    name: 'SandboxFilesystemPathAlreadyExistsError',
  });
  expect(await failureOf(filesystem.makeDirectory('/project/x/y', { createParents: false }))).toMatchObject({
    name: 'SandboxFilesystemNotFoundError',
  });
  expect(await failureOf(filesystem.remove('/project/a'))).toMatchObject({
    name: 'SandboxFilesystemDirectoryNotEmptyError',
  });
  await filesystem.remove('/project/a', { recursive: true });
  expect(await failureOf(filesystem.stat('/project/a'))).toMatchObject({ name: 'SandboxFilesystemNotFoundError' });
});

test('each mistake has its own error', async () => {
  await using modal = await openModal({ maxReadBytes: 10 });
  const { filesystem } = await modal.create();
  await filesystem.writeText('more than ten bytes', '/tmp/file');
  const failures = [
    [() => filesystem.readBytes('/tmp/none'), 'SandboxFilesystemNotFoundError'],
    [() => filesystem.readBytes('/tmp'), 'SandboxFilesystemIsADirectoryError'],
    [() => filesystem.readBytes('/tmp/file'), 'SandboxFilesystemFileTooLargeError'],
    [() => filesystem.writeText('x', '/tmp'), 'SandboxFilesystemIsADirectoryError'],
    [() => filesystem.writeText('x', '/tmp/file/below'), 'SandboxFilesystemNotADirectoryError'],
    [() => filesystem.listFiles('/tmp/file'), 'SandboxFilesystemNotADirectoryError'],
    [() => filesystem.listFiles('/tmp/none'), 'SandboxFilesystemNotFoundError'],
    [() => filesystem.remove('/tmp/none'), 'SandboxFilesystemNotFoundError'],
    [async () => filesystem.stat('relative'), 'InvalidError'],
  ] as const;
  for (const [call, name] of failures) expect(await failureOf(call())).toMatchObject({ name });
});

test('links are followed inside of the sandbox', async () => {
  await using modal = await openModal();
  if (modal.double.isolation !== 'namespace') return;
  const sandbox = await modal.create();
  await run(sandbox, ['sh', '-c', 'echo inside >/root/target; ln -s /root/target /tmp/link; ln -s /root /tmp/folder']);
  expect(await sandbox.filesystem.readText('/tmp/link')).toBe('inside\n');
  await sandbox.filesystem.writeText('written', '/tmp/folder/by-link');
  expect((await run(sandbox, ['cat', '/root/by-link'])).stdout).toBe('written');
});
