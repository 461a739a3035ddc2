import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeWithService } from '@talaria/testing-services/services/jest';
import type { Sandbox } from '../src/index.ts';
import { useDocker } from './docker-test-backend.ts';

const patience = 60_000;

await describeWithService('docker', process.env, (service) => {
  const docker = useDocker(service);
  let folder: string;
  let sandbox: Sandbox;

  async function output(command: string, of: Sandbox = sandbox): Promise<string> {
    const result = await of.run(command);
    expect(result).toMatchObject({ kind: 'exited' });
    return result.output;
  }

  describe('a sandbox', () => {
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'talaria-docker-mounts-'));
      await mkdir(join(folder, 'shared'));
      await writeFile(join(folder, 'shared/note'), 'from the host\n');
      const backend = docker.createBackend({
        environment: { SERVICE_TOKEN: 'very-secret-value', PASSED: 'handed on', OTHER: 'kept back' },
        passthrough: ['PASSED'],
        env: { SET: 'for all' },
        mounts: [
          { kind: 'bind', source: join(folder, 'shared'), target: '/shared' },
          { kind: 'tmpfs', target: '/memory', sizeMiB: 4 },
        ],
      });
      sandbox = await backend.open({
        taskId: 'a task/with ünusual: name',
        memoryMiB: 128,
        cpus: 1.5,
        env: { OWN: 'x' },
      });
    }, patience);

    afterAll(async () => {
      await sandbox[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    });

    describe('what a sandbox sees of its host', () => {
      test('the variables of the allow list, those of the options and the spec, and no other', async () => {
        const names = (await output('compgen -e')).trim().split('\n').sort();
        expect(names).toEqual(
          [
            ...[
              'COLUMNS',
              'DEBIAN_FRONTEND',
              'GIT_PAGER',
              'GIT_TERMINAL_PROMPT',
              'HOME',
              'HOSTNAME',
              'LANG',
              'LOGNAME',
            ],
            ...['NO_COLOR', 'OLDPWD', 'OWN', 'PAGER', 'PASSED', 'PATH', 'PWD', 'PYTHONUNBUFFERED', 'SET', 'SHELL'],
            ...['SHLVL', 'TALARIA_EXEC_ID', 'TALARIA_SANDBOX_ID', 'TERM', 'TMPDIR', 'USER'],
          ].sort(),
        );
        expect(await output('echo "$PASSED, $SET, $OWN"')).toBe('handed on, for all, x\n');
      });

      test('no secret in the environment of any process', async () => {
        const all = await output(`cat /proc/[0-9]*/environ | tr '\\0' '\\n'`);
        expect(all).toContain('HOSTNAME=');
        expect(all).not.toMatch(/very-secret-value|kept back/);
      });

      test('no folder of the host but what was asked for, and no socket of the engine', async () => {
        const mounts = (await output('cut -d" " -f2,3 /proc/mounts')).trim().split('\n');
        const ofDisks = mounts.filter((mount) => /ext4|xfs|btrfs/.test(mount)).map((mount) => mount.split(' ')[0]);
        expect(ofDisks.sort()).toEqual(['/etc/hostname', '/etc/hosts', '/etc/resolv.conf', '/shared']);
        expect(await output('ls /var/run/docker.sock /run/docker.sock 2>&1 | grep -c "No such file"')).toBe('2\n');
      });

      test('a mounted folder, which it cannot change', async () => {
        expect(await output('cat /shared/note; touch /shared/new 2>&1')).toMatch(
          /^from the host\n.*Read-only file system/,
        );
      });
    });

    describe('what a sandbox may do', () => {
      test('has the rights that programs need to be installed, and gains none', async () => {
        const status = await output('cat /proc/self/status');
        const bits = [0, 1, 3, 4, 5, 6, 7, 10, 31].reduce((sum, bit) => sum + 2 ** bit, 0);
        expect(Number.parseInt(/CapEff:\s*([0-9a-f]+)/.exec(status)?.[1] ?? '', 16)).toBe(bits);
        expect(Number.parseInt(/CapBnd:\s*([0-9a-f]+)/.exec(status)?.[1] ?? '', 16)).toBe(bits);
        expect(status).toMatch(/NoNewPrivs:\s*1/);
        expect(status).toMatch(/Seccomp:\s*2/);
        expect(await output('setpriv --reuid 1234 --regid 1234 --groups 65534 id')).toMatch(
          /uid=1234.*groups=1234,65534|uid=1234/,
        );
      });

      test('a program with the setuid bit stays who it is', async () => {
        const command =
          'cp /usr/bin/id /tmp/id && chmod 4755 /tmp/id && setpriv --reuid 1234 --clear-groups /tmp/id -u';
        expect(await output(command)).toBe('1234\n');
      });

      test('has the limits that it was opened with', async () => {
        const { HostConfig } = await docker.client.getContainer(sandbox.id).inspect();
        expect(HostConfig).toMatchObject({
          PidsLimit: 512,
          Memory: 128 * 1_048_576,
          MemorySwap: 128 * 1_048_576,
          NanoCpus: 1.5e9,
          AutoRemove: true,
          Privileged: false,
          LogConfig: { Type: 'none' },
        });
        expect(await output('cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null')).toBe('512\n');
      });

      test('bears labels that tell whose it is', async () => {
        const { Config } = await docker.client.getContainer(sandbox.id).inspect();
        const { 'talaria.owner': owner = '', ...labels } = Config.Labels;
        expect(labels).toMatchObject({ talaria: '1', 'talaria.task': 'a task/with ünusual: name' });
        expect(Number(labels['talaria.expires'])).toBeGreaterThan(Date.now() + 3_500_000);
        expect(JSON.parse(owner)).toMatchObject({ pid: process.pid });
        expect(sandbox.id).toMatch(/^talaria-a-task-with-nusual-name_[0-9a-f]{24}$/);
      });
    });

    test('reaches the network unless that is forbidden', async () => {
      expect(await output('ls /sys/class/net')).toContain('eth0');
    });

    describe('files', () => {
      test('go to and come from memory that is mounted', async () => {
        await sandbox.writeFile('/memory/a/b', 'text');
        expect(await output('cat /memory/a/b')).toBe('text');
        await sandbox.upload(join(folder, 'shared'), '/memory/up');
        await sandbox.download('/memory/up', join(folder, 'down'));
        expect(Buffer.from((await sandbox.readFile('/memory/up/note')).bytes).toString()).toBe('from the host\n');
      });

      test('say that there is no room', async () => {
        const big = Buffer.alloc(8_000_000);
        await expect(sandbox.writeFile('/memory/big', big)).rejects.toMatchObject({ code: 'sandbox.no-space' });
        await writeFile(join(folder, 'big'), big);
        const upload = sandbox.upload(join(folder, 'big'), '/memory/big');
        await expect(upload).rejects.toMatchObject({ code: 'sandbox.no-space' });
        expect(await sandbox.stat('/memory/big')).toBeNull();
      });
    });

    describe('commands', () => {
      test(
        'give 1 GB of output, of which the ends are kept',
        async () => {
          const result = await sandbox.run('echo first; head -c 1000000000 /dev/zero; echo last', {
            maxOutputBytes: 1_000,
          });
          expect(result.output).toMatch(/^first\n/);
          expect(result.output).toMatch(/last\n$/);
          expect(result.outputBytes.length + result.truncatedBytes).toBe(1_000_000_011);
        },
        patience,
      );

      test(
        'give 100 MB on each stream, apart',
        async () => {
          const command = 'head -c 100000000 /dev/zero & head -c 100000000 /dev/zero >&2; wait; echo out; echo err >&2';
          const result = await sandbox.run(command, { mergeStderr: false, maxOutputBytes: 1_000 });
          expect(result.output).toMatch(/out\n$/);
          expect(result.stderr).toMatch(/err\n$/);
        },
        patience,
      );

      test(
        'run 64 at once beside 64 that wait for their turn',
        async () => {
          const stateless = Array.from({ length: 64 }, (_, index) =>
            sandbox.run(`echo ${index}`, { isStateless: true }),
          );
          const queued = Array.from({ length: 64 }, (_, index) =>
            sandbox.run(`export COUNT=$((COUNT + 1)); echo ${index} $COUNT`),
          );
          const outputs = await Promise.all([...stateless, ...queued].map(async (result) => (await result).output));
          expect(outputs).toEqual([
            ...Array.from({ length: 64 }, (_, index) => `${index}\n`),
            ...Array.from({ length: 64 }, (_, index) => `${index} ${index + 1}\n`),
          ]);
        },
        patience,
      );

      test(
        'are not held up by a stream that nobody reads',
        async () => {
          await output('head -c 3000000 /dev/zero >~/unread; head -c 30000000 /dev/zero >~/unread-too');
          const streams = [await sandbox.openRead('~/unread'), await sandbox.openRead('~/unread-too')];
          for (const stream of streams) stream.read(1);
          const background = await sandbox.spawn('echo started');
          expect(await background.wait({ timeoutMs: 10_000 })).toMatchObject({ exitCode: 0 });
          for (const stream of streams) stream.destroy();
        },
        patience,
      );

      test('say 137 when there is no memory, and the sandbox goes on', async () => {
        const result = await sandbox.run(`python3 -c 'x = bytearray(400_000_000)'`);
        expect(result).toMatchObject({ kind: 'exited', exitCode: 137 });
        expect(await output('echo on')).toBe('on\n');
      });

      test(
        'are ended with children of another user, and with those that lead sessions of their own',
        async () => {
          const command =
            `setpriv --reuid 1234 --clear-groups sh -c 'trap "" TERM; sleep 987 & sleep 987' & ` +
            `setsid sh -c 'trap "" TERM; sleep 987 & wait; sleep 987' & sleep 987`;
          const result = await sandbox.run(command, { timeoutMs: 500 });
          expect(result.kind).toBe('timed-out');
          expect(await output('ps -eo stat,args | grep "sleep 98[7]" | grep -v ^Z')).toBe('');
        },
        patience,
      );

      test('cannot end the sandbox, even by killing all that they can', async () => {
        await sandbox.run('kill -9 -1');
        expect(await output('echo on')).toBe('on\n');
        expect(await sandbox.ping()).toBe(true);
      });

      test('leave no zombies', async () => {
        await output('for i in $(seq 20); do (setsid sleep 0.01 &); done; sleep 0.3');
        expect(await output('grep -l "^State:.Z" /proc/[0-9]*/status | wc -l')).toBe('0\n');
      });
    });
  });

  describe('the options', () => {
    async function open(
      options: Parameters<typeof docker.createBackend>[0],
      spec: { cwd?: string; allowNetwork?: boolean; diskMiB?: number; image?: string } = {},
    ): Promise<Sandbox> {
      return await docker.createBackend(options).open({ taskId: 'options', ...spec });
    }

    test(
      'keep programs off the network',
      async () => {
        await using closed = await open({}, { allowNetwork: false });
        expect(await output('ls /sys/class/net', closed)).toBe('lo\n');
        await using byDefault = await open({ allowNetwork: false });
        expect(await output('ls /sys/class/net', byDefault)).toBe('lo\n');
      },
      patience,
    );

    test(
      'let another user run everything',
      async () => {
        await using other = await open({ user: '1234:1234' });
        expect(await output('id -u; export A=1', other)).toBe('1234\n');
        expect(await output('echo $A; touch /etc/passwd 2>&1; cd /tmp; touch own && echo made', other)).toMatch(
          /^1\n.*denied\nmade\n$/,
        );
        await other.writeFile('/tmp/file', 'text');
        expect(await output('stat -c %u /tmp/file', other)).toBe('1234\n');
        expect(await other.run('sleep 60', { timeoutMs: 100 })).toMatchObject({ kind: 'timed-out' });
      },
      patience,
    );

    test(
      'give a user without a home a place to start in',
      async () => {
        await using other = await open({ user: 'nobody' });
        expect(await output('id -un; touch ~/own && echo made', other)).toBe('nobody\nmade\n');
      },
      patience,
    );

    test(
      'let programs gain rights',
      async () => {
        await using loose = await open({ allowSetuid: true });
        const command =
          'cp /usr/bin/id /tmp/id && chmod 4755 /tmp/id && setpriv --reuid 1234 --clear-groups /tmp/id -u';
        expect(await output(command, loose)).toBe('0\n');
      },
      patience,
    );

    test(
      'take fields of the engine as they are, such as a root that cannot be written to',
      async () => {
        await using fixed = await open({
          hostConfig: { ReadonlyRootfs: true },
          mounts: [{ kind: 'tmpfs', target: '/tmp' }],
          cwd: '/tmp',
        });
        expect(await output('export A=1; touch /root/x 2>&1', fixed)).toMatch(/Read-only file system/);
        expect(await output('echo $A; pwd', fixed)).toBe('1\n/tmp\n');
        await fixed.writeFile('x', 'text');
        expect(await output('cat x', fixed)).toBe('text');
      },
      patience,
    );

    test(
      'make the start folder, wherever it is',
      async () => {
        await using other = await open({}, { cwd: '/srv/deep/folder' });
        expect(await output('pwd; touch x && echo made', other)).toBe('/srv/deep/folder\nmade\n');
      },
      patience,
    );

    test(
      'warn once where the engine cannot limit the disk, and open all the same',
      async () => {
        const warnings: string[] = [];
        const logger = { debug() {}, info() {}, error() {}, warn: (event: string) => void warnings.push(event) };
        const backend = docker.createBackend({ logger });
        for (const taskId of ['first', 'second']) {
          await using other = await backend.open({ taskId, diskMiB: 1_000 });
          expect(await output('echo open', other)).toBe('open\n');
        }
        expect(warnings.filter((event) => event === 'sandbox.disk-not-limited').length).toBeLessThanOrEqual(1);
      },
      patience,
    );

    test(
      'learn together, and tell once, that the engine cannot raise the limits of processes',
      async () => {
        const warnings: string[] = [];
        const logger = { debug() {}, info() {}, error() {}, warn: (event: string) => void warnings.push(event) };
        const backend = docker.createBackend({ logger, ulimits: undefined });
        const opened = await Promise.allSettled(['a', 'b', 'c', 'd'].map((taskId) => backend.open({ taskId })));
        for (const entry of opened) if (entry.status === 'fulfilled') await entry.value[Symbol.asyncDispose]();
        expect(opened.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'fulfilled'));
        expect(warnings.filter((event) => event === 'sandbox.limits-not-raised').length).toBeLessThanOrEqual(1);
      },
      patience,
    );

    test(
      'end everything that was started, without a restart',
      async () => {
        const warnings: string[] = [];
        const logger = { debug() {}, info() {}, error() {}, warn: (event: string) => void warnings.push(event) };
        await using other = await docker.createBackend({ logger }).open({ taskId: 'kill-all' });
        await output('setsid sleep 600 & (sleep 700 &)', other);
        await other.killAll();
        expect(warnings).toEqual([]);
        expect(await output('ps -eo args | grep -c "[s]leep [67]00"; true', other)).toBe('0\n');
      },
      patience,
    );

    test(
      'run commands by sh where an image has no bash',
      async () => {
        const small = docker.createBackend({ image: service.shellImage });
        await using other = await small.open({ taskId: 'busybox' });
        expect(other.capabilities.keepsShellState).toBe(false);
        expect(await output('echo "$0"; cd /; pwd', other)).toMatch(/sh\n\/\n$/);
        expect(await other.run('exit 3')).toMatchObject({ exitCode: 3 });
        expect(await other.run('echo err >&2; cat', { mergeStderr: false, stdin: 'in' })).toMatchObject({
          output: 'in',
          stderr: 'err\n',
        });
        expect(await other.run('sleep 60 & sleep 60', { timeoutMs: 300 })).toMatchObject({ kind: 'timed-out' });
        expect(await output('ps | grep -c "[s]leep 60"', other)).toBe('0\n');
        await other.writeFile('~/x', Buffer.from([0, 1, 2]));
        expect([...(await other.readFile('~/x')).bytes]).toEqual([0, 1, 2]);
        const background = await other.spawn('echo begun; sleep 60');
        await background.kill();
        expect(background.exit).not.toBeNull();
      },
      patience,
    );
  });
});
