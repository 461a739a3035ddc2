import { expect, test } from '@jest/globals';
import { startProgram } from './child-program.ts';
import { numberedRollout, openSampleRun } from './sample-run.ts';
import { openTemporaryFolder } from './temporary-folder.ts';

test('a run larger than the memory can be resumed and read', async () => {
  await using temporary = await openTemporaryFolder();
  {
    await using folder = await openSampleRun(temporary.path, 'create');
    const padding = 'x'.repeat(100_000);
    for (let start = 0; start < 1200; start += 100) {
      const numbers = Array.from({ length: 100 }, (_, index) => start + index);
      await Promise.all(numbers.map((number) => folder.appendRollout(numberedRollout(number, { info: { padding } }))));
    }
  }
  // 120 MB of records, and room for half of them, the program included.
  await using program = startProgram('read-run.ts', [temporary.path], { nodeFlags: ['--max-old-space-size=60'] });
  expect(await program.nextLine()).toBe('1200 indexed, 1200 read');
}, 60_000);
