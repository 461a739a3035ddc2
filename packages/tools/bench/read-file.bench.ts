import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Benchmark, median, sampleMs } from '@talaria/testing-services/bench';
import { openLocalTools } from '../test/open-local-sandbox.ts';

/** Short enough that one call shows 2,000 of them. */
const line = 'the quick brown fox jumps over a dog\n';

async function fill(path: string, bytes: number): Promise<void> {
  const chunk = Buffer.from(line.repeat(Math.ceil(Math.min(bytes, 4_194_304) / line.length)));
  await using file = await open(path, 'w');
  for (let written = 0; written < bytes; written += chunk.length) {
    await file.write(chunk.subarray(0, Math.min(chunk.length, bytes - written)));
  }
}

/** What `read_file` costs by the size of the file, for the same lines. */
export const benchmark: Benchmark = {
  name: 'tools: read_file',
  async run() {
    await using place = await openLocalTools({ settings: { repeatPolicy: 'off' } });
    const { sandbox, tools } = place;
    const small = join(sandbox.cwd, 'small.txt');
    const large = join(sandbox.cwd, 'large.txt');
    await fill(small, 1_000_000);
    await fill(large, 1_000_000_000);
    const read = async (path: string): Promise<void> => {
      const result = await tools.callJson('read_file', { path, limit: 2_000 });
      const count = String(result['content']).split('\n').length;
      if (count !== 2_000 || result['truncated'] !== true) throw new TypeError(`Only ${count} lines of ${path}`);
    };
    const smallMs = median(await sampleMs(30, () => read(small)));
    const largeMs = median(await sampleMs(30, () => read(large)));
    return [
      {
        name: '2,000 lines of a file of 1 GB, to those of one of 1 MB',
        measured: largeMs / smallMs,
        unit: 'times',
        limit: { kind: 'at most', value: 3 },
        note: `${largeMs.toFixed(1)} ms and ${smallMs.toFixed(1)} ms`,
      },
    ];
  },
};
