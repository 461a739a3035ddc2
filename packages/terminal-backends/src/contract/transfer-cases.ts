import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '@talaria/core';
import type { Sandbox } from '../sandbox.ts';
import { expectCode, expectEqual, outputOf, type SandboxContractCase, sandboxCase } from './contract-case.ts';
import { oddNames } from './file-cases.ts';

/** A case that also has an empty folder of the host, which is removed afterwards. */
function transferCase(name: string, attempt: (sandbox: Sandbox, host: string) => Promise<void>): SandboxContractCase {
  return sandboxCase(name, async (sandbox) => {
    const host = await mkdtemp(join(tmpdir(), 'talaria-contract-'));
    try {
      await attempt(sandbox, host);
    } finally {
      await rm(host, { recursive: true, force: true });
    }
  });
}

const then = new Date(1_000_000_000_000);

async function makeTree(root: string): Promise<void> {
  await makeFolder(join(root, 'empty'));
  await makeFolder(join(root, 'deep/er'));
  for (const name of oddNames) await writeFile(join(root, 'deep', name), name);
  await writeFile(join(root, 'script'), Buffer.from([0, 1, 2, 255]));
  await chmod(join(root, 'script'), 0o755);
  await writeFile(join(root, 'none'), '');
  await symlink('../script', join(root, 'deep/inside'));
  await symlink('/etc/passwd', join(root, 'absolute'));
  await symlink('../../outside', join(root, 'deep/outside'));
  for (const path of ['script', 'empty', 'deep']) await utimes(join(root, path), then, then);
}

async function expectTree(root: string): Promise<void> {
  expectEqual((await readdir(root)).sort(), ['deep', 'empty', 'none', 'script']);
  expectEqual((await readdir(join(root, 'deep'))).sort(), [...oddNames, 'er', 'inside'].sort());
  for (const name of oddNames) assert.equal(await readFile(join(root, 'deep', name), 'utf8'), name);
  assert.equal((await readFile(join(root, 'script'))).toString('hex'), '000102ff');
  assert.equal((await stat(join(root, 'none'))).size, 0);
  assert.equal((await stat(join(root, 'script'))).mode & 0o777, 0o755);
  for (const path of ['script', 'empty', 'deep']) {
    assert.equal((await stat(join(root, path))).mtimeMs, then.getTime(), path);
  }
  assert.equal(await readlink(join(root, 'deep/inside')), '../script');
}

/** Files and trees from and to the host. */
export const transferCases: readonly SandboxContractCase[] = [
  transferCase('carries a file there and back, with mode and time, and its sum on request', async (sandbox, host) => {
    const content = Buffer.alloc(3_000_000, 'x\0y');
    await writeFile(join(host, 'file'), content, { mode: 0o600 });
    await chmod(join(host, 'file'), 0o751);
    await utimes(join(host, 'file'), then, then);
    const sent = await sandbox.upload(join(host, 'file'), '~/new/file', { verifyHash: true });
    const sha256 = createHash('sha256').update(content).digest('hex');
    expectEqual(sent, { files: 1, bytes: content.length, sha256, skipped: [] });
    const there = await sandbox.stat('~/new/file');
    expectEqual([there?.mode, there?.modifiedAt], [0o751, then.getTime()]);
    await sandbox.download('~/new/file', join(host, 'back/file'));
    assert.ok(content.equals(await readFile(join(host, 'back/file'))));
    assert.equal((await stat(join(host, 'back/file'))).mode & 0o777, 0o751);
    expectEqual(await readdir(join(host, 'back')), ['file']);
  }),
  transferCase('carries a tree there and back; links stay inside it', async (sandbox, host) => {
    await makeTree(join(host, 'tree'));
    const sent = await sandbox.upload(join(host, 'tree'), '~/tree');
    expectEqual(sent.skipped.map((skipped) => skipped.path).sort(), ['absolute', 'deep/outside']);
    assert.equal(sent.files, oddNames.length + 2);
    await sandbox.download('~/tree', join(host, 'back'));
    await expectTree(join(host, 'back'));
  }),
  transferCase('leaves links out, or follows those that stay inside, as it is told', async (sandbox, host) => {
    await makeTree(join(host, 'tree'));
    await symlink('.', join(host, 'tree/circle'));
    await symlink('itself', join(host, 'tree/itself'));
    const skipped = await sandbox.upload(join(host, 'tree'), '~/skip', { symlinks: 'skip' });
    assert.equal(skipped.skipped.length, 5);
    const followed = await sandbox.upload(join(host, 'tree'), '~/follow', { symlinks: 'follow' });
    expectEqual(followed.skipped.map(({ path }) => path).sort(), ['absolute', 'circle', 'deep/outside', 'itself']);
    assert.equal((await sandbox.stat('~/follow/deep/inside', { isLink: true }))?.kind, 'file');
  }),
  transferCase('follows no link of the sandbox out of the tree', async (sandbox, host) => {
    await sandbox.run(
      'mkdir -p ~/t/a/b && cd ~/t && ln -s ../.. a/b/up && ln -s a/b/up/../../etc escape && ln -s a/b/up fine',
    );
    const { skipped } = await sandbox.download('~/t', join(host, 't'));
    expectEqual(
      skipped.map(({ path }) => path),
      ['escape'],
    );
    assert.equal(await readlink(join(host, 't/fine')), 'a/b/up');
  }),
  transferCase('writes through no link that is in the way', async (sandbox, host) => {
    await sandbox.run('mkdir -p ~/t/d && echo evil > ~/t/d/file');
    await mkdir(join(host, 'victim'));
    await mkdir(join(host, 't'));
    await symlink(join(host, 'victim'), join(host, 't/d'));
    await expectCode(sandbox.download('~/t', join(host, 't')), 'sandbox.unsafe-path');
    expectEqual(await readdir(join(host, 'victim')), []);
  }),
  transferCase('keeps the limits on bytes and files', async (sandbox, host) => {
    await makeTree(join(host, 'tree'));
    await expectCode(sandbox.upload(join(host, 'tree'), '~/t', { maxFiles: 3 }), 'sandbox.too-large');
    await expectCode(sandbox.upload(join(host, 'tree'), '~/t', { maxBytes: 10 }), 'sandbox.too-large');
    await expectCode(sandbox.upload(join(host, 'tree/script'), '~/f', { maxBytes: 3 }), 'sandbox.too-large');
    assert.equal(await sandbox.stat('~/f'), null);
  }),
  transferCase('says what is wrong with a transfer', async (sandbox, host) => {
    await writeFile(join(host, 'file'), 'x');
    await sandbox.run('mkdir ~/folder; touch ~/file');
    await expectCode(sandbox.download('~/missing', join(host, 'x')), 'sandbox.not-found');
    await expectCode(sandbox.upload(join(host, 'missing'), '~/x'), 'sandbox.not-found');
    await expectCode(sandbox.upload(join(host, 'file'), '~/folder'), 'sandbox.is-directory');
    await expectCode(sandbox.upload(host, '~/file'), 'sandbox.not-directory');
  }),
  transferCase('leaves nothing behind when it is aborted', async (sandbox, host) => {
    await writeFile(join(host, 'file'), Buffer.alloc(30_000_000));
    const reason = new Error('stop');
    const controller = new AbortController();
    await sandbox.makeDirectory('~/own');
    const sending = sandbox.upload(join(host, 'file'), '~/own/file', { signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(sending, (error) => error === reason);
    assert.equal(await outputOf(sandbox, 'ls -A ~/own'), '');
  }),
  transferCase('leaves out what has a name that is not UTF-8, and says so', async (sandbox, host) => {
    await sandbox.run(`mkdir ~/t && cd ~/t && echo a > $'\\xff' && mkdir $'d\\xfe' && echo b > fine`);
    const { files, skipped } = await sandbox.download('~/t', join(host, 't'));
    expectEqual([files, skipped.length, await readdir(join(host, 't'))], [1, 2, ['fine']]);
    for (const { reason } of skipped) assert.match(reason, /UTF-8/);
  }),
  transferCase('copies a folder whose files come and go', async (sandbox, host) => {
    await sandbox.run('mkdir ~/t; for i in $(seq 200); do echo $i > ~/t/$i; done');
    const busy = await sandbox.spawn(
      'cd ~/t; touch ../busy; while :; do for i in $(seq 200); do mv $i $i.new; mv $i.new $i; done; done',
    );
    await sandbox.run('until [ -e ~/busy ]; do sleep 0.02; done');
    for (let round = 0; round < 5; round += 1) {
      const { files, skipped } = await sandbox.download('~/t', join(host, `t${round}`));
      assert.ok(files + skipped.length >= 150, `${files} files and ${skipped.length} skipped`);
      for (const { reason } of skipped) assert.match(reason, /removed/);
    }
    await busy.kill({ graceMs: 100 });
  }),
];
