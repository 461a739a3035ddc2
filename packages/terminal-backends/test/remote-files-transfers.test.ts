import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Sandbox } from '../src/index.ts';
import { scriptedSandboxes } from './scripted-sandbox.ts';

const maxAtOnce = 8;
let host: string;
let sandbox: Sandbox;
let running = 0;
let most = 0;

beforeAll(async () => {
  host = await mkdtemp(join(tmpdir(), 'talaria-transfers-'));
  await writeFile(join(host, 'file'), Buffer.alloc(2_000_000, 'x'));
  sandbox = await scriptedSandboxes({
    shell: 'sh',
    wrap: (scripts) => ({
      ...scripts,
      async start(...call) {
        running += 1;
        most = Math.max(most, running);
        const started = await scripts.start(...call);
        started.exited.then(() => {
          running -= 1;
        });
        return started;
      },
    }),
  })();
  await sandbox.upload(join(host, 'file'), '~/file');
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await rm(host, { recursive: true });
});

const transfers: Readonly<Record<string, (index: number) => Promise<unknown>>> = {
  upload: (index) => sandbox.upload(join(host, 'file'), `~/up-${index}`),
  download: (index) => sandbox.download('~/file', join(host, `down-${index}`)),
  readFile: () => sandbox.readFile('~/file'),
  writeFile: (index) => sandbox.writeFile(`~/written-${index}`, Buffer.alloc(2_000_000)),
  openRead: async () => await (await sandbox.openRead('~/file')).resume().toArray(),
};

test.each(Object.entries(transfers))('many at once of %s are eight processes at a time', async (_name, transfer) => {
  most = 0;
  await Promise.all(Array.from({ length: 20 }, (_, index) => transfer(index)));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(maxAtOnce);
});

test('a stream keeps its place until it is closed, and who waits for one can be aborted', async () => {
  const streams: Readable[] = [];
  for (let index = 0; index < maxAtOnce; index += 1) streams.push(await sandbox.openRead('~/file'));
  const stop = new AbortController();
  const reason = new Error('stop');
  const waiting = sandbox.download('~/file', join(host, 'waits'));
  const aborted = sandbox.openRead('~/file', { signal: stop.signal });
  stop.abort(reason);
  await expect(aborted).rejects.toBe(reason);
  expect((await sandbox.stat('~/file'))?.sizeBytes).toBe(2_000_000);
  streams[0]?.destroy();
  expect(await waiting).toMatchObject({ bytes: 2_000_000 });
  for (const stream of streams) stream.destroy();
});

test('a stream of a file that is not there keeps no place', async () => {
  for (let index = 0; index < 2 * maxAtOnce; index += 1) {
    await expect(sandbox.openRead('~/none')).rejects.toMatchObject({ code: 'sandbox.not-found' });
  }
  expect(await sandbox.download('~/file', join(host, 'after'))).toMatchObject({ bytes: 2_000_000 });
});
