import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { systemClock } from '@talaria/core';
import { describeWithService } from '@talaria/testing-services/services/jest';
import Dockerode from 'dockerode';
import { firstProcess } from '../src/docker/container-body.ts';
import { createDockerTransport } from '../src/docker/docker-transport.ts';
import { describeOwner } from '../src/ledger/sandbox-owner.ts';
import { useDocker } from './docker-test-backend.ts';

const patience = 120_000;

describe('the first process of a container', () => {
  function start(seconds: string, path = process.env['PATH']): ReturnType<typeof spawn> {
    return spawn('/bin/sh', ['-c', firstProcess, 'talaria', seconds], { env: { PATH: path }, stdio: 'ignore' });
  }

  test('ends when its time is over', async () => {
    expect(await once(start('1'), 'exit')).toEqual([0, null]);
  });

  test('ends at once when it is told to', async () => {
    const first = start('600');
    await once(first, 'spawn');
    // It must have come to its trap before it can hear of a signal.
    const children = `/proc/${first.pid}/task/${first.pid}/children`;
    await once(spawn('sh', ['-c', `until [ -n "$(cat ${children})" ]; do :; done`]), 'exit');
    const sleep = await childOf(children);
    first.kill('SIGTERM');
    expect(await once(first, 'exit')).toEqual([0, null]);
    process.kill(sleep);
  });

  test('goes on when its sleep was killed', async () => {
    const first = start('600');
    await once(first, 'spawn');
    const children = `/proc/${first.pid}/task/${first.pid}/children`;
    await once(spawn('sh', ['-c', `until [ -n "$(cat ${children})" ]; do :; done`]), 'exit');
    const sleep = await childOf(children);
    process.kill(sleep, 'SIGKILL');
    await once(
      spawn('sh', ['-c', `until c=$(cat ${children}); [ -n "$c" ] && [ "$c" != "${sleep} " ]; do :; done`]),
      'exit',
    );
    expect(first.exitCode).toBeNull();
    process.kill(await childOf(children), 'SIGKILL');
    first.kill('SIGKILL');
    await once(first, 'exit');
  });

  test('does not spin where there is no sleep', async () => {
    expect(await once(start('600', '/nowhere'), 'exit')).toEqual([127, null]);
  });

  async function childOf(file: string): Promise<number> {
    const reader = spawn('cat', [file], { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    reader.stdout.on('data', (chunk) => {
      text += chunk;
    });
    await once(reader, 'close');
    return Number(text.trim().split(' ')[0]);
  }
});

/** Long enough for a request to go out. */
function abortSoon(reason: Error): AbortController {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 30);
  return controller;
}

function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}

await describeWithService('docker', process.env, (service) => {
  const docker = useDocker(service);

  describe('a container', () => {
    test(
      'that is killed from outside is a lost sandbox, whose end is clean',
      async () => {
        await using sandbox = await docker.createBackend().open({ taskId: 'killed' });
        const running = sandbox.run('sleep 60');
        const background = await sandbox.spawn('sleep 60');
        const lost = expect(running).rejects.toMatchObject({ code: 'sandbox.lost', started: true });
        await docker.client.getContainer(sandbox.id).kill();
        await lost;
        expect(await background.wait({ timeoutMs: 10_000 })).toMatchObject({ exitCode: 137 });
        await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'sandbox.lost' });
        await expect(sandbox.spawn('true')).rejects.toMatchObject({ code: 'sandbox.lost' });
        await expect(sandbox.readFile('/etc/passwd')).rejects.toMatchObject({ code: 'sandbox.lost' });
        await expect(sandbox.openRead('/etc/passwd')).rejects.toMatchObject({ code: 'sandbox.lost' });
        expect(await sandbox.ping()).toBe(false);
      },
      patience,
    );

    test(
      'that is removed from outside is a lost sandbox too',
      async () => {
        await using sandbox = await docker.createBackend().open({ taskId: 'removed' });
        await docker.client.getContainer(sandbox.id).remove({ force: true });
        await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'sandbox.lost' });
        await expect(sandbox.writeFile('/x', 'x')).rejects.toMatchObject({ code: 'sandbox.lost' });
      },
      patience,
    );

    test(
      'that is paused keeps commands waiting, says so, and goes on',
      async () => {
        await using sandbox = await docker.createBackend().open({ taskId: 'paused' });
        const container = docker.client.getContainer(sandbox.id);
        await container.pause();
        expect(await sandbox.run('echo late', { timeoutMs: 200 })).toMatchObject({ kind: 'timed-out' });
        await expect(sandbox.spawn('true')).rejects.toMatchObject({ code: 'sandbox.paused' });
        await container.unpause();
        expect(await sandbox.run('echo on')).toMatchObject({ kind: 'exited', output: 'on\n' });
        await container.pause();
      },
      patience,
    );

    test(
      'that is paused holds no file operation up beyond its abort, and keeps no place of it',
      async () => {
        await using sandbox = await docker.createBackend().open({ taskId: 'paused' });
        const container = docker.client.getContainer(sandbox.id);
        await sandbox.writeFile('~/file', 'kept');
        await container.pause();
        const reason = new Error('stop');
        const { signal } = abortSoon(reason);
        const calls = Array.from({ length: 8 }, () => sandbox.readFile('~/file', { signal }));
        for (const end of await Promise.allSettled(calls)) expect(end).toMatchObject({ status: 'rejected' });
        await expect(calls[0]).rejects.toBe(reason);
        await container.unpause();
        expect(Buffer.from((await sandbox.readFile('~/file')).bytes).toString()).toBe('kept');
      },
      patience,
    );

    test(
      'that has no processes left is of use again after killAll',
      async () => {
        const backend = docker.createBackend({ maxProcesses: 40 });
        await using sandbox = await backend.open({ taskId: 'full' });
        const result = await sandbox.run('for i in $(seq 100); do sleep 600 & done; wait', { timeoutMs: 2_000 });
        expect(result.kind).not.toBe('interrupted');
        await sandbox.killAll();
        expect(await sandbox.run('echo on')).toMatchObject({ kind: 'exited', output: 'on\n' });
      },
      patience,
    );
  });

  describe('the transport', () => {
    test(
      'says that a program is missing, and starts nothing',
      async () => {
        await using sandbox = await docker.createBackend().open({ taskId: 'missing' });
        const container = docker.client.getContainer(sandbox.id);
        const transport = createDockerTransport({ container, host: service.socketPath, clock: systemClock });
        for (const words of [['no-such-program'], ['/no/such/program', 'x']]) {
          await expect(transport.start({ words })).rejects.toMatchObject({
            code: 'sandbox.missing-program',
            started: false,
          });
        }
        await expect(transport.start({ words: ['/etc'] })).rejects.toMatchObject({ started: false });
        // Exit codes of its own are no failed start.
        const started = await transport.start({ words: ['sh', '-c', 'echo OCI runtime; exit 127'] });
        started.stdout.resume();
        started.stderr?.resume();
        expect(await started.exited).toBe(127);
      },
      patience,
    );
  });

  test(
    'removing one by its name takes it from whoever uses it, and only a sandbox',
    async () => {
      const backend = docker.createBackend();
      await using sandbox = await backend.open({ taskId: 'taken' });
      expect(await docker.createBackend().remove?.(sandbox.id)).toBe(true);
      expect(await backend.remove?.(sandbox.id)).toBe(false);
      await expect(sandbox.run('true')).rejects.toMatchObject({ code: 'sandbox.lost' });
      const plain = await docker.client.createContainer({ Image: service.image, name: `talaria-not-${process.pid}` });
      expect(await backend.remove?.(`talaria-not-${process.pid}`)).toBe(false);
      await plain.remove();
    },
    patience,
  );

  describe('opening', () => {
    /** Backends whose client calls a function before each of its requests. */
    function createWatched(beforeRequest: (count: number) => void): ReturnType<typeof docker.createBackend> {
      let count = 0;
      class WatchedDocker extends Dockerode {
        constructor(options: Dockerode.DockerOptions) {
          super(options);
          const dial = this.modem.dial.bind(this.modem);
          this.modem.dial = (request, callback) => {
            count += 1;
            try {
              beforeRequest(count);
            } catch (error) {
              callback?.(toError(error), null);
              return;
            }
            dial(request, callback);
          };
        }
      }
      return docker.createBackend({ importDockerode: async () => ({ default: WatchedDocker }) });
    }

    async function countOpening(): Promise<number> {
      let last = 0;
      const backend = createWatched((count) => {
        last = count;
      });
      await using _sandbox = await backend.open({ taskId: 'count' });
      return last;
    }

    test(
      'leaves nothing behind, whenever it is aborted',
      async () => {
        const requests = await countOpening();
        const reason = new Error('stop');
        for (let at = 1; at <= requests; at += 1) {
          const controller = new AbortController();
          const backend = createWatched((count) => {
            if (count === at) controller.abort(reason);
          });
          // Requests of the watch may come late or not at all.
          const opened = await backend.open({ taskId: 'aborted' }, { signal: controller.signal }).catch((error) => {
            expect(error).toBe(reason);
            return null;
          });
          await opened?.[Symbol.asyncDispose]();
          expect(await docker.listOwn()).toEqual([]);
          expect((await docker.createBackend().list()).filter(({ taskId }) => taskId === 'aborted')).toEqual([]);
        }
      },
      patience,
    );

    test(
      'leaves nothing behind, whichever request fails',
      async () => {
        const requests = await countOpening();
        for (let at = 1; at <= requests; at += 1) {
          const backend = createWatched((count) => {
            if (count === at) throw new Error('the connection broke');
          });
          const opened = await backend.open({ taskId: 'failed' }).catch((error) => {
            expect(error).toMatchObject({ code: expect.stringMatching(/^sandbox\./) });
            return null;
          });
          await opened?.[Symbol.asyncDispose]();
          expect(await docker.listOwn()).toEqual([]);
          expect((await docker.createBackend().list()).filter(({ taskId }) => taskId === 'failed')).toEqual([]);
        }
      },
      patience,
    );
  });

  describe('a sweep', () => {
    test(
      'removes what a killed program left, and nothing of one that lives',
      async () => {
        const backend = docker.createBackend();
        await using living = await backend.open({ taskId: 'living' });
        const owner = spawn(
          process.execPath,
          [
            '--conditions=@talaria/source',
            fileURLToPath(new URL('./fixtures/docker-owner.ts', import.meta.url)),
            docker.stateFolder(),
            `unix://${service.socketPath}`,
            service.image,
          ],
          { stdio: ['ignore', 'pipe', 'inherit'] },
        );
        const [line] = await once(owner.stdout, 'data');
        const id = String(line).trim().split(' ')[1] ?? '';
        expect((await backend.list()).find((listing) => listing.id === id)).toMatchObject({
          taskId: 'owner',
          ownerState: 'alive',
          state: 'running',
        });
        expect((await backend.sweep()).removed).not.toContain(id);
        const ended = once(owner, 'exit');
        owner.kill('SIGKILL');
        await ended;
        expect((await backend.list()).find((listing) => listing.id === id)).toMatchObject({ ownerState: 'dead' });
        const [first, second] = await Promise.all([backend.sweep(), docker.createBackend().sweep()]);
        expect([...first.removed, ...second.removed]).toContain(id);
        expect([...first.failed, ...second.failed]).toEqual([]);
        expect(await docker.listOwn()).toEqual([living.id]);
        expect(await living.run('echo on')).toMatchObject({ output: 'on\n' });
      },
      patience,
    );

    test('removes what was being written when its writer died', async () => {
      const folder = join(docker.stateFolder(), 'sandboxes');
      const path = join(folder, 'pending-00-1-left');
      await mkdir(folder, { recursive: true });
      await writeFile(path, '');
      await utimes(path, 0, 0);
      await docker.createBackend().sweep();
      expect(await readdir(folder)).not.toContain('pending-00-1-left');
    });

    test(
      'looks at containers in any state, at what they say of their owner, and at their time',
      async () => {
        const self = await describeOwner(process.pid);
        const dead = { ...self, startMark: '1' };
        const foreign = { ...self, host: 'another.example' };
        const namesake = { ...dead, bootId: 'another' };
        const later = Date.now() + 3_600_000;
        const cases = [
          { name: 'created', owner: dead, expires: later, state: 'created', isLeftover: true },
          { name: 'running', owner: dead, expires: later, state: 'running', isLeftover: true },
          { name: 'paused', owner: dead, expires: later, state: 'paused', isLeftover: true },
          { name: 'exited', owner: dead, expires: later, state: 'exited', isLeftover: true },
          { name: 'foreign', owner: foreign, expires: later, state: 'created', isLeftover: false },
          { name: 'foreign-expired', owner: foreign, expires: 1, state: 'created', isLeftover: true },
          { name: 'namesake', owner: namesake, expires: later, state: 'running', isLeftover: false },
          { name: 'namesake-expired', owner: namesake, expires: 1, state: 'running', isLeftover: true },
          { name: 'own-expired', owner: self, expires: 1, state: 'created', isLeftover: false },
          { name: 'unreadable', owner: null, expires: 1, state: 'created', isLeftover: true },
        ];
        const containers = await Promise.all(
          cases.map(async ({ name, owner, expires, state }) => {
            const container = await docker.client.createContainer({
              name: `talaria-sweep-${process.pid}-${name}`,
              Image: service.image,
              Cmd: ['sleep', state === 'exited' ? '0' : '600'],
              HostConfig: { NetworkMode: 'none' },
              Labels: { talaria: '1', 'talaria.owner': JSON.stringify(owner), 'talaria.expires': String(expires) },
            });
            if (state !== 'created') await container.start();
            if (state === 'paused') await container.pause();
            if (state === 'exited') await container.wait();
            return container;
          }),
        );
        const report = await docker.createBackend().sweep();
        expect(report.failed).toEqual([]);
        const left = (await docker.createBackend().list()).map(({ id }) => id);
        const nameOf = (name: string): string => `talaria-sweep-${process.pid}-${name}`;
        for (const { name, isLeftover } of cases) {
          expect({ name, isRemoved: report.removed.includes(nameOf(name)) }).toEqual({ name, isRemoved: isLeftover });
          expect({ name, isThere: left.includes(nameOf(name)) }).toEqual({ name, isThere: !isLeftover });
        }
        for (const [index, { isLeftover }] of cases.entries())
          if (!isLeftover) await containers[index]?.remove({ force: true });
      },
      patience,
    );
  });
});
