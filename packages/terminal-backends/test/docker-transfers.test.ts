import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, truncateSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeWithService } from '@talaria/testing-services/services/jest';
import type { Sandbox } from '../src/index.ts';
import { useDocker } from './docker-test-backend.ts';

const patience = 300_000;
const largeBytes = 24 * 2 ** 20 + 333;
const hugeBytes = 2 ** 30;

await describeWithService('docker', process.env, (service) => {
  const docker = useDocker(service);
  let folder: string;
  let large: string;
  let sandbox: Sandbox;

  async function sumOf(path: string): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk);
    return hash.digest('hex');
  }

  async function output(command: string, of: Sandbox = sandbox): Promise<string> {
    return (await of.run(command)).output;
  }

  /** Does something, and counts the archives that the engine carried meanwhile for a sandbox. */
  async function countArchives(of: Sandbox, work: () => Promise<unknown>): Promise<{ in: number; out: number }> {
    const since = Math.floor(Date.now() / 1_000);
    const before = await readArchives(of, since);
    await work();
    const after = await readArchives(of, since);
    return { in: after.in - before.in, out: after.out - before.out };
  }

  async function readArchives(of: Sandbox, since: number): Promise<{ in: number; out: number }> {
    const events = await docker.client.getEvents({
      since,
      until: Math.ceil(Date.now() / 1_000) + 1,
      filters: { container: [of.id], event: ['archive-path', 'extract-to-dir'] },
    });
    let text = '';
    for await (const chunk of events) text += chunk;
    const count = (word: string) => text.split(`"Action":"${word}"`).length - 1;
    return { in: count('extract-to-dir'), out: count('archive-path') };
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'talaria-docker-transfers-'));
    large = join(folder, 'large');
    await writeFile(large, createHash('shake256', { outputLength: largeBytes }).update('large').digest(), {
      mode: 0o640,
    });
    await utimes(large, 1_600_000_000, 1_600_000_000.25);
    await mkdir(join(folder, 'locked'));
  }, patience);

  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  describe('a large file', () => {
    beforeAll(async () => {
      const backend = docker.createBackend({
        mounts: [
          { kind: 'tmpfs', target: '/memory', sizeMiB: 64 },
          { kind: 'bind', source: join(folder, 'locked'), target: '/locked' },
        ],
      });
      sandbox = await backend.open({ taskId: 'transfers' });
    }, patience);

    afterAll(async () => {
      await sandbox[Symbol.asyncDispose]();
    });

    test(
      'is carried by the engine, both ways, with its mode and its time',
      async () => {
        const up = () => sandbox.upload(large, '/srv/new folder/large', { verifyHash: true });
        const sum = await sumOf(large);
        const counts = await countArchives(sandbox, async () => {
          expect(await up()).toEqual({ files: 1, bytes: largeBytes, skipped: [], sha256: sum });
        });
        expect(counts).toEqual({ in: 1, out: 0 });
        expect(await output('cd "/srv/new folder"; stat -c "%s %a %Y %u:%g" large; ls -A')).toBe(
          `${largeBytes} 640 1600000000 0:0\nlarge\n`,
        );
        const back = join(folder, 'back');
        expect(
          await countArchives(sandbox, async () => {
            expect(await sandbox.download('/srv/new folder/large', back, { verifyHash: true })).toEqual({
              files: 1,
              bytes: largeBytes,
              skipped: [],
              sha256: sum,
            });
          }),
        ).toEqual({ in: 0, out: 1 });
        expect(await sumOf(back)).toBe(sum);
        const stats = await stat(back);
        expect(stats.mode & 0o777).toBe(0o640);
        expect(stats.mtimeMs).toBeCloseTo(1_600_000_000_250, -1);
      },
      patience,
    );

    test(
      'goes where links lead, replaces what is there, and keeps the group of the folder',
      async () => {
        await sandbox.run(
          'mkdir -p /srv/real && chgrp 1234 /srv/real && chmod g+s /srv/real && ln -s real /srv/link && ln -s ../link/end /srv/real/start',
        );
        await sandbox.run('echo old >/srv/real/end');
        const counts = await countArchives(sandbox, () => sandbox.upload(large, '/srv/link/start'));
        expect(counts).toEqual({ in: 1, out: 0 });
        expect(await output('cd /srv/real; stat -c "%n %F %s %g" *; ls -A | wc -l')).toBe(
          `end regular file ${largeBytes} 1234\nstart symbolic link ${'../link/end'.length} 1234\n2\n`,
        );
        const back = join(folder, 'linked');
        expect(await countArchives(sandbox, () => sandbox.download('/srv/link/start', back))).toEqual({
          in: 0,
          out: 1,
        });
        expect(await sumOf(back)).toBe(await sumOf(large));
      },
      patience,
    );

    test(
      'is written as bytes, with the owner and the mode of what it replaces, or not at all where something is there',
      async () => {
        await sandbox.run('echo old >/srv/owned; chown 12:34 /srv/owned; chmod 604 /srv/owned');
        const bytes = Buffer.alloc(largeBytes, 'abc');
        expect(await countArchives(sandbox, () => sandbox.writeFile('/srv/owned', bytes))).toEqual({ in: 1, out: 0 });
        expect(await output('stat -c "%s %a %u:%g" /srv/owned')).toBe(`${largeBytes} 604 12:34\n`);
        await expect(sandbox.writeFile('/srv/owned', bytes, { isExclusive: true })).rejects.toMatchObject({
          code: 'sandbox.exists',
        });
        expect(await output('sha256sum </srv/owned | cut -d" " -f1')).toBe(
          `${createHash('sha256').update(bytes).digest('hex')}\n`,
        );
      },
      patience,
    );

    test(
      'goes into memory and comes out of it by a process, since the engine does not see it',
      async () => {
        const counts = await countArchives(sandbox, async () => {
          await sandbox.upload(large, '/memory/sub/large', { verifyHash: true });
          await sandbox.download('/memory/sub/large', join(folder, 'memory'), { verifyHash: true });
        });
        expect(counts).toEqual({ in: 0, out: 0 });
        expect(await output('stat -c %s /memory/sub/large; ls -A /memory/sub')).toBe(`${largeBytes}\nlarge\n`);
        expect(await sumOf(join(folder, 'memory'))).toBe(await sumOf(large));
      },
      patience,
    );

    test(
      'that does not fit is refused, and nothing of it stays',
      async () => {
        const big = join(folder, 'too-big');
        await using file = await open(big, 'w');
        await file.truncate(80 * 2 ** 20);
        await expect(sandbox.upload(big, '/memory/big')).rejects.toMatchObject({ code: 'sandbox.no-space' });
        expect(await output('ls -A /memory | grep -v sub')).toBe('');
      },
      patience,
    );

    test(
      'is refused where a small one is, with the same error',
      async () => {
        const small = join(folder, 'small');
        await writeFile(small, 'x');
        await sandbox.run('mkdir -p /srv/folder');
        for (const target of ['/locked/file', '/srv/folder', '/etc/passwd/file', '/proc/version', '/dev/null']) {
          const refusal = async (source: string): Promise<unknown> => {
            const error = await sandbox.upload(source, target).catch((reason) => reason);
            return { code: error.code, message: String(error.message).replaceAll(/line \d+|talaria-\w+/g, '…') };
          };
          const refused = await refusal(small);
          expect(refused).toMatchObject({ code: expect.stringMatching(/^sandbox\./) });
          expect(await refusal(large)).toEqual(refused);
        }
        await expect(sandbox.upload(large, '/srv/limited', { maxBytes: 1_000 })).rejects.toMatchObject({
          code: 'sandbox.too-large',
        });
        await sandbox.upload(large, '/srv/whole');
        await expect(
          sandbox.download('/srv/whole', join(folder, 'limited'), { maxBytes: 1_000 }),
        ).rejects.toMatchObject({
          code: 'sandbox.too-large',
        });
        // An archive that nobody takes would hold up the engine.
        expect(await docker.client.getContainer(sandbox.id).inspect()).toMatchObject({ State: { Running: true } });
        expect((await readdir(folder)).filter((name) => name.startsWith('.') || name === 'limited')).toEqual([]);
      },
      patience,
    );

    test(
      'leaves nothing behind, whenever it is aborted',
      async () => {
        await sandbox.run('mkdir -p /srv/aborted; cd /srv/aborted');
        await sandbox.upload(large, '/srv/source');
        for (const turns of [0, 3, 10, 30, 100, 300, 1_000, 3_000]) {
          for (const transfer of ['up', 'down'] as const) {
            const controller = new AbortController();
            const reason = new Error('stop');
            const { signal } = controller;
            const work =
              transfer === 'up'
                ? sandbox.upload(large, '/srv/aborted/target', { signal })
                : sandbox.download('/srv/source', join(folder, 'aborted'), { signal });
            const outcome = work.then(
              () => 'done',
              (error) => error,
            );
            for (let turn = 0; turn < turns; turn += 1) await nextTurn();
            controller.abort(reason);
            const result = await outcome;
            if (result !== 'done') expect(result).toBe(reason);
            expect(await output('ls -A | grep -v "^target$"')).toBe('');
            expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
          }
        }
      },
      patience,
    );
  });

  test(
    'a file of a gigabyte goes both ways without being held in memory',
    async () => {
      await using own = await docker.createBackend().open({ taskId: 'huge' });
      const huge = join(folder, 'huge');
      for (const sizeBytes of [hugeBytes, 240 * 2 ** 20]) {
        await using file = await open(huge, 'w');
        await file.truncate(sizeBytes);
        let most = 0;
        const sample = setInterval(() => {
          most = Math.max(most, process.memoryUsage().arrayBuffers);
        }, 20);
        const before = process.memoryUsage().arrayBuffers;
        try {
          expect(await own.upload(huge, '/srv/huge')).toMatchObject({ bytes: sizeBytes });
          expect(await own.download('/srv/huge', join(folder, 'huge-back'))).toMatchObject({ bytes: sizeBytes });
        } finally {
          clearInterval(sample);
        }
        expect((await stat(join(folder, 'huge-back'))).size).toBe(sizeBytes);
        expect(most - before).toBeLessThan(128 * 2 ** 20);
      }
    },
    patience,
  );

  test(
    'a user who is not root gets its own files, by a process',
    async () => {
      await using own = await docker.createBackend({ user: '1234:1234' }).open({ taskId: 'user' });
      const counts = await countArchives(own, async () => {
        await own.upload(large, '/tmp/own/large');
        await own.download('/tmp/own/large', join(folder, 'owned'));
      });
      expect(counts).toEqual({ in: 0, out: 0 });
      expect(await output('stat -c "%s %u:%g" /tmp/own/large', own)).toBe(`${largeBytes} 1234:1234\n`);
      await expect(own.upload(large, '/etc/large')).rejects.toMatchObject({ code: 'sandbox.permission' });
      expect(await sumOf(join(folder, 'owned'))).toBe(await sumOf(large));
    },
    patience,
  );

  /** An engine before which something is done whenever it is asked for an archive; where that throws, it refuses. */
  async function openWatched(beforeArchive: () => void): Promise<AsyncDisposable & { readonly host: string }> {
    const path = join(folder, `engine-${Math.random().toString(36).slice(2)}.sock`);
    const open = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true }, (client) => {
      open.add(client);
      client.on('error', () => undefined).once('close', () => open.delete(client));
      client.once('data', (first) => {
        try {
          if (/^\w+ \S*\/archive/.test(first.toString('latin1'))) beforeArchive();
        } catch {
          client.end('HTTP/1.0 500 Refused\r\n\r\n');
          return;
        }
        const engine = connect({ path: service.socketPath, allowHalfOpen: true });
        open.add(engine);
        engine.on('error', () => client.destroy()).once('close', () => open.delete(engine));
        engine.write(first);
        client.pipe(engine);
        engine.pipe(client);
      });
    });
    server.listen(path);
    await once(server, 'listening');
    return {
      host: `unix://${path}`,
      async [Symbol.asyncDispose]() {
        for (const socket of open) socket.destroy();
        server.close();
        await once(server, 'close');
      },
    };
  }

  test(
    'an engine that carries no archives is no hindrance',
    async () => {
      await using engine = await openWatched(() => {
        throw new Error('refused');
      });
      await using own = await docker.createBackend({ host: engine.host }).open({ taskId: 'refused' });
      await own.upload(large, '/srv/large', { verifyHash: true });
      expect(await output('stat -c %s /srv/large; ls -A /srv', own)).toBe(`${largeBytes}\nlarge\n`);
    },
    patience,
  );

  test(
    'a file that becomes shorter while it is sent is refused, and nothing of it stays',
    async () => {
      const shrinking = join(folder, 'shrinking');
      await writeFile(shrinking, Buffer.alloc(largeBytes));
      await using engine = await openWatched(() => truncateSync(shrinking, 1));
      await using own = await docker.createBackend({ host: engine.host }).open({ taskId: 'shrinking' });
      await expect(own.upload(shrinking, '/srv/shrunk')).rejects.toMatchObject({ code: 'sandbox.integrity' });
      expect(await output('ls -A /srv', own)).toBe('');
    },
    patience,
  );
});
