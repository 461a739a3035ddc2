import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Sandbox } from '../src/index.ts';
import { describeEveryBackend, outputOf } from './every-backend.ts';

/** Variables with all that must not get into a sandbox: names that look secret, and one that does not. */
const secrets = {
  OPENAI_API_KEY: 'sk-very-secret-key',
  GITHUB_TOKEN: 'very-secret-token',
  AWS_SECRET_ACCESS_KEY: 'very-secret-access',
  PLAIN_NAME: 'very-secret-value',
  LC_SECRET_TOKEN: 'very-secret-locale',
};
const secretValue = /very-secret/;
const patience = 60_000;
const before = new Map<string, string | undefined>();

beforeAll(() => {
  for (const [name, value] of Object.entries(secrets)) {
    before.set(name, process.env[name]);
    process.env[name] = value;
  }
});

afterAll(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

await describeEveryBackend(({ kind, createBackend, stateFolder }) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createBackend({ environment: { ...process.env } }).open({ taskId: 'secrets' });
  }, patience);
  afterAll(async () => {
    await sandbox[Symbol.asyncDispose]();
  }, patience);

  const output = (command: string): Promise<string> => outputOf(sandbox, command);

  test('shows a command, a program and a background process no secret of the host in their variables', async () => {
    const seen = [await output('env'), (await sandbox.runProgram(['env'])).output];
    const stateless = await sandbox.run('env', { isStateless: true });
    const background = await sandbox.spawn('env');
    await background.wait();
    seen.push(stateless.output, Buffer.from((await background.readOutput(0)).bytes).toString());
    for (const text of seen) {
      expect(text).toMatch(/^HOME=/m);
      expect(text).not.toMatch(secretValue);
      for (const name of Object.keys(secrets)) expect(text).not.toContain(`${name}=`);
    }
  });

  test('shows none in the variables, the words and the files of processes that can be seen', async () => {
    // Where nothing is isolated, the processes of the host can be seen too: then only those of the sandbox count.
    const own = `grep -lza "^TALARIA_SANDBOX_ID=${sandbox.id}$" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3`;
    const numbers = sandbox.capabilities.isolation === 'none' ? own : 'ls /proc | grep "^[0-9]"';
    const text = await output(`for pid in $(${numbers}); do
      cat /proc/$pid/environ /proc/$pid/cmdline 2>/dev/null | tr '\\0' '\\n'
    done`);
    expect(text).toContain('TALARIA_SANDBOX_ID=');
    expect(text).not.toMatch(secretValue);
    const first = await output(`cat /proc/1/environ 2>/dev/null | tr '\\0' '\\n'`);
    expect(first).not.toMatch(secretValue);
    expect(await output(`grep -rals "very-secre[t]" "$HOME" /tmp/.talaria* /dev/shm/.talaria* 2>/dev/null`)).toBe('');
  });

  if (kind === 'local' || kind === 'ssh') return;
  test('mounts nothing of the host that was not asked for', async () => {
    const mounts = (await output('cat /proc/self/mountinfo')).trim().split('\n').map(parseMount);
    expect(mounts.map(({ target }) => target)).toContain('/proc');
    // What lies beside the sandbox's own files, and in its own folder of the ledger, is of nobody else.
    const foreign = mounts.filter(({ source }) => !source.includes(`/${sandbox.id}/`));
    for (const { source, target } of foreign) {
      expect(target).not.toMatch(/docker\.sock|containerd\.sock|podman\.sock/);
      for (const folder of [stateFolder(), process.cwd()]) expect(`${source} ${target}`).not.toContain(folder);
    }
    if (kind === 'docker' || kind === 'singularity') {
      const onDisk = foreign.filter(({ type, target }) => !ofKernel.includes(type) && target !== '/');
      for (const { target } of onDisk) expect(files).toContain(target);
    }
    const sockets = '/var/run/docker.sock /run/docker.sock /run/containerd/containerd.sock /run/podman/podman.sock';
    expect(await output(`for path in ${sockets}; do [ ! -e $path ] || echo $path; done`)).toBe('');
    expect(
      await output(`for path in '${process.cwd()}' '${stateFolder()}'; do [ ! -e $path ] || echo $path; done`),
    ).toBe('');
  });
});

/** File systems that are not on a disk of the host. */
const ofKernel = ['proc', 'sysfs', 'tmpfs', 'devpts', 'devtmpfs', 'mqueue', 'cgroup', 'cgroup2'];

/** Files without which names of machines and times would be wrong. */
const files = ['/etc/hostname', '/etc/hosts', '/etc/resolv.conf', '/etc/localtime'];

/** What is mounted: the folder in its file system, the place where it is seen, and the type of the file system. */
function parseMount(line: string): { readonly source: string; readonly target: string; readonly type: string } {
  const [fields = '', about = ''] = line.split(' - ');
  const [, , , source = '', target = ''] = fields.split(' ');
  return { source, target, type: about.split(' ')[0] ?? '' };
}
