import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import { describeWithService } from '@talaria/testing-services/services/jest';
import { createSshBackend, type SshBackendOptions } from '../src/ssh/index.ts';
import { makeKey, startSshServer, type TestSshServer, until } from './fixtures/ssh-server.ts';

const run = promisify(execFile);

/** Opens a sandbox, runs one command, and disposes. */
async function say(options: SshBackendOptions): Promise<string> {
  await using sandbox = await createSshBackend(options).open({ taskId: 'login' });
  return (await sandbox.run('echo in')).output;
}

await describeWithService('ssh', process.env, ({ serverPath }) => {
  let server: TestSshServer;
  let options: SshBackendOptions;

  beforeAll(async () => {
    server = await startSshServer(serverPath);
    options = server.options;
  });

  afterAll(async () => {
    await until(async () => (await server.connections()) === 0, 'every connection is closed');
    await server[Symbol.asyncDispose]();
  });

  test('a key that the server does not take is told with what was tried', async () => {
    const privateKeyPath = join(server.folder, 'other-key');
    await makeKey(privateKeyPath);
    await expect(say({ ...options, privateKeyPath })).rejects.toMatchObject({
      code: 'config.login-refused',
      message: expect.stringMatching(new RegExp(`@127\\.0\\.0\\.1:\\d+.*the key ${privateKeyPath}, no agent`)),
      hint: expect.stringContaining('ssh -p'),
    });
  });

  test('a key that is missing, public, broken or encrypted is told before anything is sent', async () => {
    const encrypted = join(server.folder, 'encrypted-key');
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'open sesame', '-f', encrypted]);
    const broken = join(server.folder, 'broken-key');
    await writeFile(broken, 'no key');
    const attempt = (privateKeyPath: string) => say({ ...options, port: 1, privateKeyPath });
    await expect(attempt('/nowhere/key')).rejects.toMatchObject({ code: 'config.missing-file' });
    await expect(attempt(`${encrypted}.pub`)).rejects.toMatchObject({ code: 'config.invalid-key' });
    await expect(attempt(broken)).rejects.toMatchObject({ code: 'config.invalid-key' });
    await expect(attempt(encrypted)).rejects.toMatchObject({
      code: 'config.invalid-key',
      hint: expect.stringContaining('passphrase'),
    });
  });

  test('a passphrase opens a key, and a wrong one is refused', async () => {
    const privateKeyPath = join(server.folder, 'locked-key');
    await copyFile(join(server.folder, 'client-key'), privateKeyPath);
    await run('chmod', ['600', privateKeyPath]);
    await run('ssh-keygen', ['-p', '-q', '-P', '', '-N', 'open sesame', '-f', privateKeyPath]);
    const passphrase = new Secret('SSH_PASSPHRASE', 'open sesame');
    expect(await say({ ...options, privateKeyPath, passphrase })).toBe('in\n');
    const wrong = new Secret('SSH_PASSPHRASE', 'open barley');
    await expect(say({ ...options, privateKeyPath, passphrase: wrong })).rejects.toMatchObject({
      code: 'config.invalid-key',
      message: expect.not.stringContaining('barley'),
    });
  });

  test('the usual key files of the user serve where none is named', async () => {
    const home = join(server.folder, 'user');
    await mkdir(join(home, '.ssh'), { recursive: true });
    await copyFile(join(server.folder, 'client-key'), join(home, '.ssh/id_ed25519'));
    await writeFile(join(home, '.ssh/id_rsa'), 'broken, and named by nobody');
    expect(await say({ ...options, privateKeyPath: undefined, environment: { HOME: home } })).toBe('in\n');
  });

  test('an agent serves, and one that is not there is passed over', async () => {
    const agentSocket = join(server.folder, 'agent');
    const agent = spawn('ssh-agent', ['-D', '-a', agentSocket], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(agent.stdout, 'data');
    try {
      const environment = { SSH_AUTH_SOCK: agentSocket, HOME: '/nowhere' };
      await run('ssh-add', ['-q', join(server.folder, 'client-key')], { env: environment });
      const login = { ...options, privateKeyPath: undefined, agentSocket: undefined };
      expect(await say({ ...login, environment })).toBe('in\n');
      expect(await say({ ...options, agentSocket: '/nowhere/agent' })).toBe('in\n');
      await expect(
        say({ ...login, environment: { ...environment, SSH_AUTH_SOCK: '/nowhere/agent' } }),
      ).rejects.toMatchObject({
        code: 'config.login-refused',
        message: expect.stringContaining('the agent at /nowhere/agent'),
      });
    } finally {
      const ended = once(agent, 'exit');
      agent.kill();
      await ended;
    }
  });

  test('a host key that has changed is refused with both fingerprints, whatever the policy', async () => {
    await using own = await startSshServer(serverPath);
    await own.kill();
    const before = await fingerprint(join(own.folder, 'host-key.pub'));
    await own.changeHostKey();
    await own.start();
    const after = await fingerprint(join(own.folder, 'host-key.pub'));
    for (const hostKeyPolicy of ['strict', 'accept-new'] as const) {
      await expect(say({ ...own.options, hostKeyPolicy })).rejects.toMatchObject({
        code: 'config.host-key-changed',
        message: expect.stringMatching(new RegExp(`${literal(after)}.*${literal(before)} \\(line 1\\)`)),
        hint: expect.stringContaining('ssh-keygen -R'),
      });
    }
    expect(await say({ ...own.options, hostKeyPolicy: 'off' })).toBe('in\n');
    expect(await own.places()).toEqual([]);
  });

  test('an unknown host key is refused by the strict policy, and written down by the usual one', async () => {
    const knownHostsPath = join(server.folder, 'new/known-hosts');
    await expect(say({ ...options, knownHostsPath })).rejects.toMatchObject({
      code: 'config.host-key-unknown',
      hint: expect.stringContaining('ssh-keyscan -p'),
    });
    expect(await say({ ...options, knownHostsPath, hostKeyPolicy: 'accept-new' })).toBe('in\n');
    expect(await readFile(knownHostsPath, 'utf8')).toMatch(/^\[127\.0\.0\.1\]:\d+ ssh-ed25519 \S+\n$/);
    expect(await say({ ...options, knownHostsPath })).toBe('in\n');
    // OpenSSH reads what was written.
    const { stdout } = await run('ssh-keygen', ['-F', `[127.0.0.1]:${options.port}`, '-f', knownHostsPath]);
    expect(stdout).toContain('ssh-ed25519');
  });

  test('a host key is added on a line of its own, and many at once do not harm the file', async () => {
    const knownHostsPath = join(server.folder, 'torn-hosts');
    await writeFile(knownHostsPath, 'example.org ssh-ed25519 AAAA');
    const attempts = [1, 2, 3].map(() => say({ ...options, knownHostsPath, hostKeyPolicy: 'accept-new' }));
    expect(await Promise.all(attempts)).toEqual(['in\n', 'in\n', 'in\n']);
    const lines = (await readFile(knownHostsPath, 'utf8')).split('\n').filter(Boolean);
    expect(lines[0]).toBe('example.org ssh-ed25519 AAAA');
    expect(new Set(lines.slice(1)).size).toBe(1);
  });

  test('a file of hashed names serves', async () => {
    const knownHostsPath = join(server.folder, 'hashed-hosts');
    await copyFile(options.knownHostsPath ?? '', knownHostsPath);
    await run('ssh-keygen', ['-H', '-f', knownHostsPath]);
    expect(await readFile(knownHostsPath, 'utf8')).toMatch(/^\|1\|/);
    expect(await say({ ...options, knownHostsPath })).toBe('in\n');
  });

  test('a revoked host key is refused', async () => {
    const knownHostsPath = join(server.folder, 'revoked-hosts');
    await writeFile(knownHostsPath, `@revoked ${await readFile(options.knownHostsPath ?? '', 'utf8')}`);
    const attempt = say({ ...options, knownHostsPath, hostKeyPolicy: 'accept-new' });
    await expect(attempt).rejects.toMatchObject({ code: 'config.host-key-revoked' });
  });

  test('a server with several keys is asked for the one that is known', async () => {
    const rsaKey = join(server.folder, 'rsa-host-key');
    await run('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-N', '', '-f', rsaKey]);
    await using own = await startSshServer(serverPath, { configuration: [`HostKey ${rsaKey}`] });
    const name = `[127.0.0.1]:${own.options.port}`;
    await writeFile(own.options.knownHostsPath ?? '', `${name} ${await readFile(`${rsaKey}.pub`, 'utf8')}`);
    expect(await say(own.options)).toBe('in\n');
  });

  test('a server behind another one is reached, and both connections are closed', async () => {
    await using inner = await startSshServer(serverPath);
    const { host, port, user, privateKeyPath, knownHostsPath, agentSocket } = options;
    const both = join(server.folder, 'both-hosts');
    await writeFile(
      both,
      (await readFile(knownHostsPath ?? '')) + (await readFile(inner.options.knownHostsPath ?? '', 'utf8')),
    );
    const jump = { host, port, user, privateKeyPath, agentSocket };
    expect(await say({ ...inner.options, knownHostsPath: both, jump })).toBe('in\n');
    await expect(say({ ...inner.options, knownHostsPath: both, jump, port: 1 })).rejects.toMatchObject({
      code: 'sandbox.unreachable',
    });
    await until(
      async () => (await inner.connections()) + (await server.connections()) === 0,
      'all connections are closed',
    );
  });

  test('an address where nobody listens, and one that does not exist, are told', async () => {
    await expect(say({ ...options, port: 1 })).rejects.toMatchObject({
      code: 'sandbox.unreachable',
      retryable: true,
      started: false,
      message: expect.stringContaining('127.0.0.1:1'),
    });
    await expect(say({ ...options, host: 'no-such-machine.invalid' })).rejects.toMatchObject({
      code: expect.stringMatching(/^(config\.unknown-host|sandbox\.unreachable)$/),
      message: expect.stringContaining('no-such-machine.invalid'),
    });
  });

  test('a server that says nothing is given up in time', async () => {
    // Reads, so that it notices when the other side is gone.
    const silent = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    try {
      await expect(say({ ...options, port, hostKeyPolicy: 'off', connectTimeoutMs: 200 })).rejects.toMatchObject({
        code: 'sandbox.unreachable',
        message: expect.stringContaining('200 ms'),
      });
    } finally {
      silent.close();
      await once(silent, 'close');
    }
  });

  test('what the start-up files of a login print gets into nothing', async () => {
    await using own = await startSshServer(serverPath, {
      configuration: ['ForceCommand echo "Welcome! 1 2 3"; exec bash -c "$SSH_ORIGINAL_COMMAND"'],
    });
    await using sandbox = await createSshBackend(own.options).open({ taskId: 'noise' });
    await sandbox.writeFile('file', 'text');
    expect(Buffer.from((await sandbox.readFile('file')).bytes).toString()).toBe('text');
    await sandbox.download('~', join(own.folder, 'copy'));
    expect(await readFile(join(own.folder, 'copy/file'), 'utf8')).toBe('text');
    expect(await sandbox.run('sleep 600', { timeoutMs: 100 })).toMatchObject({ kind: 'timed-out', output: '' });
    expect(await sandbox.run('echo out; echo error >&2', { mergeStderr: false })).toMatchObject({
      output: 'out\n',
      stderr: 'error\n',
    });
  });

  test('a login that may run one program only is told', async () => {
    await using own = await startSshServer(serverPath, { configuration: ['ForceCommand echo no shell here'] });
    await expect(say(own.options)).rejects.toMatchObject({ message: expect.stringContaining('no shell here') });
    expect(await own.places()).toEqual([]);
  });

  test('wrong options are refused at once', () => {
    const wrong: readonly Partial<SshBackendOptions>[] = [
      { host: '' },
      { stateFolder: 'relative' },
      { privateKeyPath: '~/.ssh/id_ed25519' },
      { keepAliveLimit: 0 },
      { maxSessionsPerConnection: 1.5 },
    ];
    for (const part of wrong) {
      expect(() => createSshBackend({ ...options, ...part })).toThrow(
        expect.objectContaining({ code: 'config.invalid' }),
      );
    }
  });

  test('nothing is left of all these attempts', async () => {
    expect(await server.places()).toEqual([]);
    await rm(join(server.folder, 'state'), { recursive: true, force: true });
  });
});

async function fingerprint(path: string): Promise<string> {
  const { stdout } = await run('ssh-keygen', ['-l', '-f', path]);
  return stdout.split(' ')[1] ?? '';
}

function literal(text: string): string {
  return text.replace(/[+/]/g, '\\$&');
}
