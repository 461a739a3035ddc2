import { expect, test } from '@jest/globals';
import { describeEveryBackend, isLongRun } from './every-backend.ts';

const patience = 180_000;
const gigabyte = 1_000_000_000;

await describeEveryBackend(({ createBackend }) => {
  // On the doubles, which run in the same process, it takes long; docker and ssh have tests like it among their own.
  const declare = isLongRun ? test : test.skip;
  declare(
    'reads a gigabyte of output, keeps its ends, and does not grow',
    async () => {
      await using sandbox = await createBackend().open({ taskId: 'flood' });
      await sandbox.run('echo warm');
      const before = process.memoryUsage.rss();
      let most = before;
      const onOutput = () => {
        most = Math.max(most, process.memoryUsage.rss());
      };
      const result = await sandbox.run(`echo first; head -c ${gigabyte} /dev/zero; echo last`, {
        maxOutputBytes: 10_000,
        timeoutMs: patience,
        onOutput,
      });
      expect(result).toMatchObject({ kind: 'exited', exitCode: 0, truncatedBytes: gigabyte + 11 - 10_000 });
      expect(result.output).toMatch(/^first\n\0+last\n$/);
      expect(most - before).toBeLessThan(300_000_000);
    },
    patience,
  );
});
