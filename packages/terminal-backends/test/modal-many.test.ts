import { expect, jest, test } from '@jest/globals';
import { createSandboxPool } from '../src/index.ts';
import { openModalTest } from './modal-test-backend.ts';

jest.setTimeout(600_000);

const sandboxCount = 200;

test('200 sandboxes are opened, run a command each and are gone afterwards', async () => {
  await using modal = await openModalTest();
  const backend = modal.createBackend();
  await using pool = createSandboxPool({ backend, maxCreatesPerSecond: Number.POSITIVE_INFINITY });
  let most = 0;
  const outputs = await Promise.all(
    Array.from({ length: sandboxCount }, async (_, number) => {
      await using lease = pool.lease({ taskId: `task-${number}` });
      const sandbox = await lease.open();
      most = Math.max(most, modal.double.sandboxes.filter(({ isRunning }) => isRunning).length);
      return (await sandbox.run(`echo ${number}`)).output;
    }),
  );
  expect(outputs).toEqual(Array.from({ length: sandboxCount }, (_, number) => `${number}\n`));
  expect(most).toBeLessThanOrEqual(64);
  expect(modal.double.sandboxes).toHaveLength(sandboxCount);
  expect(modal.count('ImageGetOrCreate')).toBe(1);
  await modal.whenEmpty();
});
