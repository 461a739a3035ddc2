import assert from 'node:assert/strict';
import { expectCode, expectEqual, outputOf, type SandboxContractCase, sandboxCase } from './contract-case.ts';

/** Names that break whatever builds command text from paths. */
export const oddNames: readonly string[] = [
  'with space',
  'line\nbreak',
  `quote'"\``,
  '-leading-dash',
  '$HOME;rm *',
  'grüße 🙂',
  '~tilde',
];

/** Files. */
export const fileCases: readonly SandboxContractCase[] = [
  sandboxCase('writes and reads bytes exactly: none, binary, 20 MB', async (sandbox) => {
    const contents = [Buffer.alloc(0), Buffer.from([0, 255, 10, 13, 0]), Buffer.alloc(20_000_000, 'abc\0')];
    for (const content of contents) {
      await sandbox.writeFile('~/file', content);
      const read = await sandbox.readFile('~/file');
      assert.ok(content.equals(read.bytes));
      assert.equal(read.sizeBytes, content.length);
      assert.equal(read.isTruncated, false);
    }
  }),
  sandboxCase('takes any name', async (sandbox) => {
    await sandbox.makeDirectory('~/names');
    for (const name of oddNames) {
      const path = `${sandbox.home}/names/${name}`;
      await sandbox.writeFile(path, name);
      assert.equal(Buffer.from((await sandbox.readFile(path)).bytes).toString(), name);
    }
    const listed = await sandbox.list('~/names');
    expectEqual(
      listed.map((entry) => entry.name),
      [...oddNames].sort(),
    );
    assert.ok(listed.every((entry) => entry.kind === 'file'));
    for (const name of oddNames) assert.equal(await sandbox.remove(`${sandbox.home}/names/${name}`), true);
    expectEqual(await sandbox.list('~/names'), []);
  }),
  sandboxCase('reads a part of a file', async (sandbox) => {
    await sandbox.writeFile('~/file', '0123456789');
    const part = await sandbox.readFile('~/file', { offset: 3, maxBytes: 4 });
    assert.equal(Buffer.from(part.bytes).toString(), '3456');
    expectEqual([part.sizeBytes, part.isTruncated], [10, true]);
    const rest = await sandbox.readFile('~/file', { offset: 7, maxBytes: 3 });
    expectEqual([Buffer.from(rest.bytes).toString(), rest.isTruncated], ['789', false]);
    assert.equal((await sandbox.readFile('~/file', { offset: 20 })).bytes.length, 0);
  }),
  sandboxCase('resolves ~, and relative paths in the tracked folder', async (sandbox) => {
    await sandbox.writeFile('~/d/file', 'x');
    await sandbox.run('cd ~/d');
    assert.equal(await sandbox.resolvePath('./file'), `${sandbox.cwd}/file`);
    assert.equal(Buffer.from((await sandbox.readFile('file')).bytes).toString(), 'x');
    assert.equal(await sandbox.resolvePath('~'), sandbox.home);
    assert.equal(await sandbox.resolvePath('~root/x'), `${(await outputOf(sandbox, 'echo ~root')).trim()}/x`);
  }),
  sandboxCase('makes parents, keeps the mode of what it replaces, and leaves nothing beside it', async (sandbox) => {
    await sandbox.writeFile('~/a/b/c', 'one', { mode: 0o750 });
    assert.equal((await sandbox.stat('~/a/b/c'))?.mode, 0o750);
    await sandbox.writeFile('~/a/b/c', 'two');
    assert.equal((await sandbox.stat('~/a/b/c'))?.mode, 0o750);
    await sandbox.writeFile('~/a/b/new', '');
    assert.equal((await sandbox.stat('~/a/b/new'))?.mode, 0o644);
    expectEqual(
      (await sandbox.list('~/a/b')).map((entry) => entry.name),
      ['c', 'new'],
    );
  }),
  sandboxCase('follows a link when it writes, and keeps the link', async (sandbox) => {
    await sandbox.run('cd ~; mkdir real; echo old > real/file; ln -s real/file link; ln -s real/later dangling');
    await sandbox.writeFile('~/link', 'new');
    await sandbox.writeFile('~/dangling', 'made');
    assert.equal(await outputOf(sandbox, 'cat ~/real/file ~/real/later'), 'newmade');
    const link = await sandbox.stat('~/link', { isLink: true });
    expectEqual([link?.kind, link?.linkTarget], ['symlink', 'real/file']);
    assert.equal((await sandbox.stat('~/link'))?.kind, 'file');
  }),
  sandboxCase('replaces nothing when it must be new', async (sandbox) => {
    await sandbox.writeFile('~/file', 'one', { isExclusive: true });
    await expectCode(sandbox.writeFile('~/file', 'two', { isExclusive: true }), 'sandbox.exists');
    assert.equal(await outputOf(sandbox, 'cat ~/file'), 'one');
  }),
  sandboxCase('tells what is there', async (sandbox) => {
    await sandbox.run(
      `mkdir ~/own; cd ~/own; mkdir folder; printf 12345 > file; chmod 640 file
      touch -d @1000000000 file; ln -s nowhere broken; cd`,
    );
    expectEqual(await sandbox.stat('~/own/file'), {
      kind: 'file',
      sizeBytes: 5,
      mode: 0o640,
      modifiedAt: 1_000_000_000_000,
    });
    assert.equal((await sandbox.stat('~/own/folder'))?.kind, 'directory');
    assert.equal(await sandbox.stat('~/own/missing'), null);
    assert.equal(await sandbox.stat('~/own/file/below'), null);
    assert.equal(await sandbox.stat('~/own/broken'), null);
    expectEqual(await sandbox.list('~/own'), [
      { name: 'broken', kind: 'symlink' },
      { name: 'file', kind: 'file' },
      { name: 'folder', kind: 'directory' },
    ]);
  }),
  sandboxCase('makes, moves and removes', async (sandbox) => {
    assert.equal(await sandbox.makeDirectory('~/x/y'), true);
    assert.equal(await sandbox.makeDirectory('~/x/y'), false);
    await sandbox.writeFile('~/x/y/file', '1');
    await sandbox.move('~/x', '~/z');
    assert.equal(await outputOf(sandbox, 'cat ~/z/y/file'), '1');
    assert.equal(await sandbox.remove('~/z'), true);
    assert.equal(await sandbox.remove('~/z'), false);
  }),
  sandboxCase('says what is wrong with a path', async (sandbox) => {
    await sandbox.run('mkdir ~/folder; touch ~/file; mkfifo ~/pipe; ln -s loop ~/loop');
    await expectCode(sandbox.readFile('~/missing'), 'sandbox.not-found');
    await expectCode(sandbox.readFile('~/folder'), 'sandbox.is-directory');
    await expectCode(sandbox.writeFile('~/folder', 'x'), 'sandbox.is-directory');
    await expectCode(sandbox.list('~/file'), 'sandbox.not-directory');
    await expectCode(sandbox.list('~/missing'), 'sandbox.not-found');
    await expectCode(sandbox.readFile('~/file/below'), 'sandbox.not-directory');
    await expectCode(sandbox.writeFile('~/loop', 'x'), 'sandbox.unsafe-path');
    await expectCode(sandbox.readFile(''), 'sandbox.unsafe-path');
    await expectCode(sandbox.readFile('a\0b'), 'sandbox.unsafe-path');
    await expectCode(sandbox.resolvePath('~no-such-user-here/x'), 'sandbox.not-found');
    await expectCode(sandbox.readFile('~/pipe'), 'sandbox.failed');
    await expectCode(sandbox.writeFile('~/pipe', 'x'), 'sandbox.failed');
  }),
  sandboxCase('streams a file', async (sandbox) => {
    await sandbox.run('seq 1 500000 > ~/big');
    const pieces: Buffer[] = [];
    for await (const piece of await sandbox.openRead('~/big')) pieces.push(Buffer.from(piece));
    const { bytes } = await sandbox.readFile('~/big');
    assert.ok(Buffer.concat(pieces).equals(bytes));
    for await (const _piece of await sandbox.openRead('~/big')) break;
  }),
  sandboxCase('ends a stream with the reason of the abort', async (sandbox) => {
    await sandbox.writeFile('~/big', Buffer.alloc(20_000_000));
    const controller = new AbortController();
    const reason = new Error('stop');
    async function readAll(): Promise<void> {
      const stream = await sandbox.openRead('~/big', { signal: controller.signal });
      for await (const _piece of stream) controller.abort(reason);
    }
    await assert.rejects(readAll(), (error) => error === reason);
  }),
  sandboxCase('does nothing that was aborted before', async (sandbox) => {
    const reason = new Error('stop');
    const signal = AbortSignal.abort(reason);
    await sandbox.makeDirectory('~/own');
    await assert.rejects(sandbox.writeFile('~/own/never', 'x', { signal }), (error) => error === reason);
    await assert.rejects(sandbox.readFile('~/own/never', { signal }), (error) => error === reason);
    expectEqual(await sandbox.list('~/own'), []);
  }),
];
