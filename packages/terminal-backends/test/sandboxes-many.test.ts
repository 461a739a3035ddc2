import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { mapConcurrent } from '@talaria/core';
import { createSandboxPool } from '../src/index.ts';
import { describeEveryBackend, isLongRun } from './every-backend.ts';

const patience = 600_000;
const all = 200;

// Each is a real sandbox: 200 of every kind where that is asked for.
const count = isLongRun ? all : 12;

await describeEveryBackend(
  ({ kind, createBackend, stateFolder }) => {
    test(
      `${count} sandboxes are leased, each for a task of its own, within the limit, and nothing is left`,
      async () => {
        const maxConcurrentSandboxes = 16;
        const descriptorsBefore = readdirSync('/proc/self/fd').length;
        const memoryBefore = process.memoryUsage.rss();
        const startedAt = performance.now();
        const backend = createBackend();
        let most = 0;
        {
          await using pool = createSandboxPool({
            backend,
            maxConcurrentSandboxes,
            maxCreatesPerSecond: Number.POSITIVE_INFINITY,
          });
          const outcomes = await Promise.all(
            Array.from({ length: count }, async (_, number) => {
              await using lease = pool.lease({ taskId: `task-${number}` });
              const sandbox = await lease.open();
              most = Math.max(most, pool.activeCount);
              await sandbox.run(`export NUMBER=${number}; echo ${number} > ~/own`);
              return [sandbox.id, (await sandbox.run('echo $NUMBER; cat ~/own; ls ~ | wc -l')).output] as const;
            }),
          );
          expect(outcomes.map(([, output]) => output)).toEqual(
            Array.from({ length: count }, (_, number) => `${number}\n${number}\n1\n`),
          );
          expect(new Set(outcomes.map(([id]) => id)).size).toBe(count);
        }
        expect(most).toBeLessThanOrEqual(maxConcurrentSandboxes);
        expect(await readdir(join(stateFolder(), 'sandboxes'))).toEqual([]);
        const ours = ((await backend.list?.()) ?? []).filter(({ owner }) => owner?.pid === process.pid);
        expect(ours).toEqual([]);
        const spent = {
          seconds: ((performance.now() - startedAt) / 1_000).toFixed(1),
          descriptors: readdirSync('/proc/self/fd').length - descriptorsBefore,
          MB: Math.round((process.memoryUsage.rss() - memoryBefore) / 1e6),
        };
        if (isLongRun) process.stderr.write(`${count} sandboxes of ${kind}: ${JSON.stringify(spent)}\n`);
        expect(spent.descriptors).toBeLessThan(40);
        expect(spent.MB).toBeLessThan(400);
      },
      patience,
    );

    if (kind !== 'local') return;
    const openCount = isLongRun ? all : 20;
    test(
      `${openCount} sandboxes are open at the same time, each with a process in the background, and go together`,
      async () => {
        const backend = createBackend();
        const opened = await mapConcurrent(Array.from({ length: openCount }), 16, async (_, number) => {
          const sandbox = await backend.open({ taskId: `task-${number}` });
          return { sandbox, background: await sandbox.spawn('exec sleep 600') };
        });
        expect((await backend.list?.())?.length).toBe(openCount);
        const runs = await mapConcurrent(opened, 16, ({ sandbox }, number) => sandbox.run(`echo ${number}`));
        expect(runs.map(({ output }) => output)).toEqual(
          Array.from({ length: openCount }, (_, number) => `${number}\n`),
        );
        await mapConcurrent(opened, 16, async ({ sandbox }) => {
          await sandbox[Symbol.asyncDispose]();
        });
        expect(opened.filter(({ background }) => background.exit === null)).toEqual([]);
        expect(await backend.list?.()).toEqual([]);
      },
      patience,
    );
  },
  // Modal has a test of its own, which also counts what the provider is asked.
  ['local', 'docker', 'ssh', 'singularity', 'daytona'],
);
