import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeEveryBackend, isLongRun } from './every-backend.ts';

const patience = 300_000;
const gigabyte = 1_073_741_824;
/** More than the buffers of pipes and sockets, far less than the file. */
const mostGrowth = 300_000_000;

let folder: string;
let source: string;
let sum: string;

/** A gigabyte that takes no room: something at its ends and in its middle, holes between. */
beforeAll(async () => {
  if (!isLongRun) return;
  folder = await mkdtemp(join(tmpdir(), 'talaria-large-'));
  source = join(folder, 'source');
  await using file = await open(source, 'w');
  await file.truncate(gigabyte);
  for (const [text, position] of [
    ['begin', 0],
    ['middle', gigabyte / 2 - 3],
    ['end', gigabyte - 3],
  ] as const) {
    await file.write(text, position);
  }
  sum = await sha256(createReadStream(source));
}, patience);

afterAll(async () => {
  if (isLongRun) await rm(folder, { recursive: true });
});

async function sha256(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}

/** How far the memory of this process goes up meanwhile, in bytes. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Math.max(most, process.memoryUsage.rss()) - before;
}

await describeEveryBackend(
  ({ kind, createBackend }) => {
    // Through a connection it takes a minute.
    (isLongRun ? test : test.skip)(
      'a gigabyte goes up, is read, and comes down in bounded memory',
      async () => {
        await using sandbox = await createBackend().open({ taskId: 'large' });
        await sandbox.run('echo warm');
        const growth = await growthDuring(async () => {
          const sent = await sandbox.upload(source, '~/large');
          expect(sent).toMatchObject({ files: 1, bytes: gigabyte });
          expect(await sandbox.stat('~/large')).toMatchObject({ sizeBytes: gigabyte });
          expect((await sandbox.run('sha256sum ~/large', { timeoutMs: patience })).output).toMatch(`${sum}  `);
          const middle = await sandbox.readFile('~/large', { offset: gigabyte / 2 - 3, maxBytes: 6 });
          expect(Buffer.from(middle.bytes).toString()).toBe('middle');
          expect(middle).toMatchObject({ sizeBytes: gigabyte, isTruncated: true });
          expect(await sha256(await sandbox.openRead('~/large'))).toBe(sum);
          await sandbox.download('~/large', join(folder, kind));
          expect((await stat(join(folder, kind))).size).toBe(gigabyte);
          expect(await sha256(createReadStream(join(folder, kind)))).toBe(sum);
          await rm(join(folder, kind));
        });
        expect(growth).toBeLessThan(mostGrowth);
      },
      patience,
    );
  },
  ['local', 'docker', 'ssh'],
);
