import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createFakeSandbox } from './index.ts';

describe('a fake sandbox', () => {
  test('plays replies in order, and remembers the calls', async () => {
    const sandbox = createFakeSandbox({ run: [{ output: 'a', cwd: '/x' }, { kind: 'timed-out' }, { exitCode: 3 }] });
    expect(await sandbox.run('one', { timeoutMs: 5 })).toMatchObject({
      kind: 'exited',
      exitCode: 0,
      output: 'a',
      cwd: '/x',
    });
    expect(await sandbox.runProgram(['two'], { timeoutMs: 5 })).toMatchObject({ kind: 'timed-out', timeoutMs: 5 });
    expect(await sandbox.run('three')).toMatchObject({ exitCode: 3, cwd: '/x' });
    await expect(sandbox.run('four')).rejects.toMatchObject({ code: 'sandbox.failed' });
    expect(sandbox.calls.map(({ command }) => command)).toEqual(['one', ['two'], 'three', 'four']);
  });

  test('lets a function play', async () => {
    const sandbox = createFakeSandbox({
      async run({ command }, self) {
        await self.writeFile('~/made', String(command));
        return {};
      },
    });
    await sandbox.run('hello');
    expect(sandbox.textOf('/home/user/made')).toBe('hello');
  });

  test('has files and folders', async () => {
    const sandbox = createFakeSandbox({ files: { '/a/b': 'text' } });
    expect(await sandbox.list('/a')).toEqual([{ name: 'b', kind: 'file' }]);
    await sandbox.move('/a', '/c/d');
    expect(sandbox.textOf('/c/d/b')).toBe('text');
    expect(await sandbox.stat('/a')).toBeNull();
    await expect(sandbox.readFile('/c')).rejects.toMatchObject({ code: 'sandbox.is-directory' });
    await expect(sandbox.readFile('/none')).rejects.toMatchObject({ code: 'sandbox.not-found' });
    await expect(sandbox.writeFile('/c/d/b', '', { isExclusive: true })).rejects.toMatchObject({
      code: 'sandbox.exists',
    });
    expect(await sandbox.remove('/c')).toBe(true);
    expect(await sandbox.list('/')).toEqual([
      { name: 'home', kind: 'directory' },
      { name: 'tmp', kind: 'directory' },
    ]);
  });

  test('carries trees to and from the host', async () => {
    const host = await mkdtemp(join(tmpdir(), 'talaria-fake-'));
    const sandbox = createFakeSandbox({ files: { '/t/a': '1', '/t/b/c': '22' } });
    expect(await sandbox.download('/t', join(host, 't'))).toMatchObject({ files: 2, bytes: 3 });
    expect(await readFile(join(host, 't/b/c'), 'utf8')).toBe('22');
    expect(await sandbox.upload(join(host, 't'), '/u')).toMatchObject({ files: 2, bytes: 3 });
    expect(sandbox.textOf('/u/b/c')).toBe('22');
    await rm(host, { recursive: true });
  });

  test('starts processes that the test plays', async () => {
    const sandbox = createFakeSandbox();
    const started = await sandbox.spawn('server');
    await started.write('in');
    const [fake] = sandbox.processes;
    fake?.emit('out');
    expect(fake?.input).toBe('in');
    expect(Buffer.from((await started.readOutput(1)).bytes).toString()).toBe('ut');
    expect(await started.wait({ timeoutMs: 1 })).toBeNull();
    fake?.end(4);
    expect(await started.wait()).toMatchObject({ exitCode: 4 });
    await expect(started.write('more')).rejects.toMatchObject({ code: 'sandbox.stdin-closed' });
  });

  test('refuses everything once it is closed, and what was aborted', async () => {
    const sandbox = createFakeSandbox();
    await expect(sandbox.run('x', { signal: AbortSignal.abort('stop') })).rejects.toBe('stop');
    await sandbox[Symbol.asyncDispose]();
    await expect(sandbox.run('x')).rejects.toMatchObject({ code: 'sandbox.closed' });
    expect(await sandbox.ping()).toBe(false);
  });
});
