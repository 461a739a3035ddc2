import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeFolder } from '@talaria/core';
import type { Sandbox } from '../src/index.ts';
import { scriptedSandboxes } from './scripted-sandbox.ts';

let host: string;
let sandbox: Sandbox;

beforeAll(async () => {
  host = await mkdtemp(join(tmpdir(), 'talaria-abort-'));
  sandbox = await scriptedSandboxes({ shell: 'sh' })();
  await writeFile(join(host, 'big'), Buffer.alloc(5_000_000, 'x'));
  for (let index = 0; index < 40; index += 1) {
    await makeFolder(join(host, `tree/d${index % 4}`));
    await writeFile(join(host, `tree/d${index % 4}/f${index}`), Buffer.alloc(30_000 * (index % 3), 'y'));
  }
  await sandbox.upload(join(host, 'big'), '~/big');
  await sandbox.upload(join(host, 'tree'), '~/tree');
  await sandbox.upload(join(host, 'tree'), '~/merged');
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await rm(host, { recursive: true });
});

const operations: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> = {
  'a small write': (signal) => sandbox.writeFile('~/small', 'content', { signal }),
  'a large write': (signal) => sandbox.writeFile('~/large', Buffer.alloc(3_000_000), { signal }),
  'a small read': (signal) => sandbox.readFile('~/big', { maxBytes: 10, signal }),
  'a large read': (signal) => sandbox.readFile('~/big', { signal }),
  'a listing': (signal) => sandbox.list('~', { signal }),
  'an upload of a file': (signal) => sandbox.upload(join(host, 'big'), '~/up', { signal }),
  'an upload of a folder': (signal) => sandbox.upload(join(host, 'tree'), '~/up-tree', { signal }),
  'an upload into a folder': (signal) => sandbox.upload(join(host, 'tree'), '~/merged', { signal, verifyHash: true }),
  'a download of a file': (signal) => sandbox.download('~/big', join(host, 'down'), { signal, verifyHash: true }),
  'a download of a folder': (signal) => sandbox.download('~/tree', join(host, 'down-tree'), { signal }),
  async 'a stream'(signal) {
    for await (const _piece of await sandbox.openRead('~/big', { signal })) await nextTurn();
  },
};

async function openDescriptors(): Promise<number> {
  return (await readdir('/proc/self/fd')).length;
}

/** Processes of scripts: those that stand in the root folder and bear a mark. */
async function markedProcesses(): Promise<readonly string[]> {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found: string[] = [];
  for (const number of numbers) {
    const environment = await readFile(`/proc/${number}/environ`, 'latin1').catch(() => '');
    const isMarked = environment.includes(`HOME=${sandbox.home}`) && environment.includes('TALARIA_EXEC_ID=');
    if (isMarked) found.push(number);
  }
  return found;
}

async function temporaries(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.includes('.talaria-'));
}

const turns = [0, 1, 2, 3, 5, 8, 13, 30, 60, 120, 250, 500, 1_000, 2_000];

(process.platform === 'linux' ? describe : describe.skip)('an abort', () => {
  test.each(Object.entries(operations))(
    'ends %s at any point, and leaves nothing behind',
    async (_name, operate) => {
      const before = await openDescriptors();
      for (const count of turns) {
        const controller = new AbortController();
        const reason = new Error('stop');
        const outcome = operate(controller.signal).then(
          () => 'done',
          (error) => error,
        );
        for (let turn = 0; turn < count; turn += 1) await nextTurn();
        controller.abort(reason);
        const result = await outcome;
        if (result !== 'done') expect(result).toBe(reason);
        expect(await temporaries(sandbox.home)).toEqual([]);
        expect(await temporaries(host)).toEqual([]);
        expect(await markedProcesses()).toEqual([]);
      }
      await nextTurn();
      expect(await openDescriptors()).toBeLessThanOrEqual(before);
    },
    60_000,
  );
});
