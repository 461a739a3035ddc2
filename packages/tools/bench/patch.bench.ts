import { join } from 'node:path';
import { type Benchmark, median, sampleMs } from '@talaria/testing-services/bench';
import { openLocalTools } from '../test/open-local-sandbox.ts';

/** What `patch` costs beside reading and writing the file. */
export const benchmark: Benchmark = {
  name: 'tools: patch',
  async run() {
    await using place = await openLocalTools();
    const { sandbox, tools } = place;
    const path = join(sandbox.cwd, 'large.txt');
    const text = Array.from({ length: 200_000 }, (_, index) => `line ${index} with a text of fifty bytes, about so\n`);
    await sandbox.writeFile(path, text.join(''));
    const { sizeBytes } = await sandbox.readFile(path);
    const copyMs = median(
      await sampleMs(10, async () => await sandbox.writeFile(path, (await sandbox.readFile(path)).bytes)),
    );
    let count = 0;
    const change = async (makeArguments: (from: string, to: string) => object): Promise<void> => {
      const from = count === 0 ? 'line 123456 with' : `line ${count - 1}th with`;
      const result = await tools.callJson('patch', { ...makeArguments(from, `line ${count}th with`) });
      if (result['success'] !== true) throw new TypeError(`Not patched: ${JSON.stringify(result)}`);
      count += 1;
    };
    const replaceMs = median(
      await sampleMs(10, () => change((from, to) => ({ path, old_string: from, new_string: to }))),
    );
    const rest = ' a text of fifty bytes, about so';
    const patchMs = median(
      await sampleMs(10, () =>
        change((from, to) => ({ patch: `*** Update File: ${path}\n-${from}${rest}\n+${to}${rest}` })),
      ),
    );
    const note = (ms: number): string =>
      `${ms.toFixed(0)} ms, reading and writing ${copyMs.toFixed(0)} ms, ${(sizeBytes / 1e6).toFixed(1)} MB`;
    return [
      {
        name: 'one replacement in a file of 10 MB, to reading and writing it',
        measured: replaceMs / copyMs,
        unit: 'times',
        limit: { kind: 'at most', value: 10 },
        note: note(replaceMs),
      },
      {
        name: 'a patch of a file of 10 MB, to reading and writing it',
        measured: patchMs / copyMs,
        unit: 'times',
        limit: { kind: 'at most', value: 10 },
        note: note(patchMs),
      },
    ];
  },
};
