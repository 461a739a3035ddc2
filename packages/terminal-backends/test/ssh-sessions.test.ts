import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWithService } from '@talaria/testing-services/services/jest';
import { findProgram } from '../src/local/host-programs.ts';
import { createSshBackend } from '../src/ssh/index.ts';
import { processesWith, startSshServer, type TestSshServer, until } from './fixtures/ssh-server.ts';

await describeWithService('ssh', process.env, ({ serverPath }) => {
  let server: TestSshServer;

  beforeAll(async () => {
    server = await startSshServer(serverPath);
  });

  afterAll(async () => {
    expect(await server.places()).toEqual([]);
    await until(async () => (await server.connections()) === 0, 'every connection is closed');
    await server[Symbol.asyncDispose]();
  });

  test('64 commands in a row and 64 beside them all get their turn', async () => {
    await using sandbox = await createSshBackend(server.options).open({ taskId: 'many' });
    const numbers = Array.from({ length: 64 }, (_, index) => index);
    const queued = numbers.map((number) => sandbox.run(`echo ${number} >>order; echo ${number}`));
    const beside = numbers.map((number) => sandbox.run(`echo ${number}`, { isStateless: true }));
    const outputs = (await Promise.all([...queued, ...beside])).map(({ output }) => Number(output));
    expect(outputs).toEqual([...numbers, ...numbers]);
    expect((await sandbox.run('cat order')).output.trim().split('\n').map(Number)).toEqual(numbers);
  }, 60_000);

  test('a gigabyte of output is read in bounded memory', async () => {
    await using sandbox = await createSshBackend(server.options).open({ taskId: 'big' });
    const before = process.memoryUsage.rss();
    const result = await sandbox.run('head -c 1000000000 /dev/zero; echo end', {
      maxOutputBytes: 1_000,
      timeoutMs: 120_000,
    });
    expect(result).toMatchObject({ kind: 'exited', exitCode: 0, truncatedBytes: 1_000_000_004 - 1_000 });
    expect(result.output.endsWith('end\n')).toBe(true);
    expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000);
  }, 120_000);

  test('input waits until it is taken, and what a program leaves is refused', async () => {
    await using sandbox = await createSshBackend(server.options).open({ taskId: 'input' });
    const slow = await sandbox.spawn('until [ -e go ]; do sleep 0.02; done; cat | wc -c');
    let isTaken = false;
    const writing = slow.write(Buffer.alloc(20_000_000)).then(() => {
      isTaken = true;
    });
    await sandbox.run('sleep 0.3');
    expect(isTaken).toBe(false);
    await sandbox.run('touch go');
    await writing;
    await slow.closeStdin();
    expect(await slow.wait()).toMatchObject({ exitCode: 0 });
    expect(
      Buffer.from((await slow.readOutput(0)).bytes)
        .toString()
        .trim(),
    ).toBe('20000000');

    const deaf = await sandbox.spawn('until [ -e stop ]; do sleep 0.02; done');
    const refused = deaf.write(Buffer.alloc(20_000_000));
    refused.catch(() => undefined);
    await sandbox.run('touch stop');
    await expect(refused).rejects.toMatchObject({ code: 'sandbox.stdin-closed' });
  }, 60_000);

  test('two sandboxes share a connection, and the end of one leaves the other alone', async () => {
    const backend = createSshBackend(server.options);
    await using kept = await backend.open({ taskId: 'kept' });
    const background = await kept.spawn('sleep 600');
    const gone = await backend.open({ taskId: 'gone' });
    const left = await gone.spawn('sleep 600');
    expect(await server.connections()).toBe(1);
    await kept.run('export x=kept; cd /tmp');
    await gone[Symbol.asyncDispose]();
    expect(left.exit).not.toBeNull();
    expect(background.exit).toBeNull();
    expect((await kept.run('echo $x $PWD')).output).toBe('kept /tmp\n');
    expect(await server.places()).toEqual([kept.id]);
    expect(await processesWith(gone.id)).toEqual([]);
  });

  test('a sandbox whose name begins another one does not end that', async () => {
    const ids = ['sandbox_1', 'sandbox_10'];
    const backend = createSshBackend({ ...server.options, createId: () => ids.shift() ?? 'sandbox_2' });
    const first = await backend.open({ taskId: 'first' });
    await using second = await backend.open({ taskId: 'second' });
    const background = await second.spawn('sleep 600');
    await first.killAll();
    await first[Symbol.asyncDispose]();
    expect((await second.run('echo alive')).output).toBe('alive\n');
    expect(background.exit).toBeNull();
    // Used once more after its end, it opens nothing that nobody would close.
    await first.killAll();
    expect(await first.ping()).toBe(false);
  });

  test('more sandboxes than a connection has room for get more connections', async () => {
    const backend = createSshBackend(server.options);
    const sandboxes = await Promise.all(Array.from({ length: 12 }, () => backend.open({ taskId: 'one-of-many' })));
    const outputs = await Promise.all(sandboxes.map((sandbox) => sandbox.run('echo $HOME')));
    expect(new Set(outputs.map(({ output }) => output)).size).toBe(12);
    expect(await server.connections()).toBeGreaterThan(1);
    await Promise.all(sandboxes.map((sandbox) => sandbox[Symbol.asyncDispose]()));
    await until(async () => (await server.connections()) === 0, 'every connection is closed');
  }, 60_000);

  test.each([1, 2, 3])(
    'a server that allows %i sessions is noticed, and enough for everything',
    async (maxSessions) => {
      await using own = await startSshServer(serverPath, { configuration: [`MaxSessions ${maxSessions}`] });
      const logged: string[] = [];
      const log = (event: string) => void logged.push(event);
      const logger = { debug: log, info: log, warn: log, error: log };
      await using sandbox = await createSshBackend({ ...own.options, logger }).open({ taskId: 'narrow' });
      const background = await sandbox.spawn('sleep 600');
      const calls = Array.from({ length: 12 }, (_, index) => sandbox.run(`echo ${index}`, { isStateless: true }));
      expect((await Promise.all(calls)).map(({ output }) => Number(output))).toEqual([...calls.keys()]);
      expect(await sandbox.run('sleep 600', { timeoutMs: 100 })).toMatchObject({ kind: 'timed-out' });
      await sandbox.writeFile('file', 'text');
      expect((await sandbox.list('.')).map(({ name }) => name)).toEqual(['file']);
      expect(logged).toContain('ssh.session-limit');
      expect(background.exit).toBeNull();
    },
    60_000,
  );

  test('a server that takes few logins at once is not overrun', async () => {
    await using own = await startSshServer(serverPath, { configuration: ['MaxStartups 1:100:2', 'MaxSessions 2'] });
    const backend = createSshBackend(own.options);
    const sandboxes = await Promise.all([1, 2, 3, 4].map(() => backend.open({ taskId: 'patient' })));
    const outputs = await Promise.all(sandboxes.map((sandbox) => sandbox.run('echo in')));
    expect(outputs.map(({ output }) => output)).toEqual(['in\n', 'in\n', 'in\n', 'in\n']);
    await Promise.all(sandboxes.map((sandbox) => sandbox[Symbol.asyncDispose]()));
    expect(await own.places()).toEqual([]);
  }, 60_000);

  const shells = ['dash', 'fish', 'zsh', 'csh'].filter((name) => findProgram(name, process.env['PATH']) !== null);
  test.each(shells)('a login shell that is %s makes no difference', async (shell) => {
    // As the server would run the login shell of an account that has this one.
    await using own = await startSshServer(serverPath, {
      configuration: [`ForceCommand exec ${findProgram(shell, process.env['PATH'])} -c "$SSH_ORIGINAL_COMMAND"`],
    });
    await using sandbox = await createSshBackend(own.options).open({ taskId: 'shell' });
    expect((await sandbox.run(`x=(1 2); echo "\${x[1]}" "it's" \\\\ '!'`)).output).toBe("2 it's \\ !\n");
    await sandbox.writeFile("it's a \\ file!\n", 'text');
    expect((await sandbox.list('.')).map(({ name }) => name)).toEqual(["it's a \\ file!\n"]);
    expect(await sandbox.run('sleep 600', { timeoutMs: 100 })).toMatchObject({ kind: 'timed-out' });
    const terminal = await sandbox.spawn('tty; stty size', { pty: true });
    expect(await terminal.wait()).toMatchObject({ exitCode: 0 });
    expect(Buffer.from((await terminal.readOutput(0)).bytes).toString()).toMatch(/^\/dev\/pts\/\d+\r\n30 120\r\n$/);
  });

  test('a server without bash still runs commands, without state', async () => {
    await using own = await startSshServer(serverPath, {
      configuration: [`ForceCommand PATH=${await binWithoutBash(server)} sh -c "$SSH_ORIGINAL_COMMAND"`],
    });
    await using sandbox = await createSshBackend(own.options).open({ taskId: 'plain' });
    expect(sandbox.capabilities.keepsShellState).toBe(false);
    expect((await sandbox.run('echo $0 $HOME')).output).toBe(`sh ${own.home}/.talaria/tasks/${sandbox.id}/home\n`);
  });

  test('nothing of the machine that runs Talaria is seen on the server', async () => {
    const environment = { SECRET_KEY: 'hush-hush-1', LANG: 'xx_YY.UTF-8', PATH: '/hush-hush-3', EDITOR: 'hush-hush-2' };
    const backend = createSshBackend({ ...server.options, environment, passthrough: ['EDITOR'] });
    await using sandbox = await backend.open({ taskId: 'secret', env: { OPEN: 'yes' } });
    const { output } = await sandbox.run('env; cat /proc/$PPID/environ /proc/$PPID/cmdline | tr "\\0" "\\n"');
    expect(output).toContain('OPEN=yes');
    expect(output).toContain('EDITOR=hush-hush-2');
    expect(output).not.toMatch(/hush-hush-[13]|xx_YY|SSH_/);
    // Values do not stand in command lines, which every user of the server can read.
    expect(
      (await sandbox.run('cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n" | grep -c "hush-[h]ush"')).output,
    ).toBe('0\n');
  });

  test('folders are for the account only', async () => {
    await using sandbox = await createSshBackend(server.options).open({ taskId: 'modes' });
    const { output } = await sandbox.run('stat -c %a ~ ~/.. ~/../tmp ~/../.. ~/../../..');
    expect(output).toBe('700\n700\n700\n700\n700\n');
  });
});

/** A folder with all programs but bash. */
async function binWithoutBash(server: TestSshServer): Promise<string> {
  const folder = join(server.folder, 'bin');
  await mkdir(folder);
  for (const source of ['/usr/bin', '/bin', '/usr/sbin']) {
    for (const name of await readdir(source)) {
      if (name !== 'bash' && name !== 'rbash')
        await symlink(join(source, name), join(folder, name)).catch(() => undefined);
    }
  }
  return folder;
}
