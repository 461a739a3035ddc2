import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Benchmark, type BenchmarkRow, median, sampleMs } from '@talaria/testing-services/bench';
import { type LocalTools, openLocalTools } from '../test/open-local-sandbox.ts';

const folderCount = 250;
const filesPerFolder = 200;
/** Each hundredth file holds the word once. */
const matchCount = (folderCount * filesPerFolder) / 100;

async function makeTree(root: string): Promise<void> {
  const text = 'some words of a file that nobody ever looks at\n'.repeat(20);
  for (let folder = 0; folder < folderCount; folder += 1) {
    await mkdir(join(root, `folder${folder}`), { recursive: true });
    for (let file = 0; file < filesPerFolder; file += 1) {
      const content = file % 100 === 7 ? `${text}the needle\n` : text;
      await writeFile(join(root, `folder${folder}`, `file${file}.txt`), content);
    }
  }
}

function runRipgrep(root: string): Promise<number> {
  const flags = ['--no-config', '--no-messages', '--json', '--sort', 'path', '-e', 'needle', '--', root];
  return new Promise((resolve, reject) => {
    const child = spawn('rg', flags, { stdio: ['ignore', 'pipe', 'ignore'] });
    let count = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      count += chunk.toString().split('"type":"match"').length - 1;
    });
    child.once('error', reject);
    child.once('close', () => resolve(count));
  });
}

async function search({ tools }: LocalTools, root: string): Promise<void> {
  const result = await tools.callJson('search_files', { pattern: 'needle', path: root, limit: 500 });
  if (result['total_count'] !== matchCount) throw new TypeError(`Found ${JSON.stringify(result).slice(0, 200)}`);
}

/** What `search_files` costs beside the program that it runs. */
export const benchmark: Benchmark = {
  name: 'tools: search_files',
  async run() {
    await using place = await openLocalTools({ settings: { repeatPolicy: 'off' } });
    await using bare = await openLocalTools({ settings: { repeatPolicy: 'off' }, hiddenPrograms: ['rg'] });
    const root = join(place.sandbox.cwd, 'tree');
    await makeTree(root);
    const grepMs = median(await sampleMs(3, () => search(bare, root), 1));
    const rows: BenchmarkRow[] = [];
    const hasRipgrep = (await place.sandbox.run('command -v rg')).output !== '';
    if (hasRipgrep) {
      const byHandMs: number[] = [];
      const toolMs: number[] = [];
      // In turns, so that a busy moment of the machine meets both.
      for (let round = 0; round < 8; round += 1) {
        byHandMs.push(...(await sampleMs(1, () => runRipgrep(root), round === 0 ? 1 : 0)));
        toolMs.push(...(await sampleMs(1, () => search(place, root), round === 0 ? 1 : 0)));
      }
      rows.push({
        name: `${folderCount * filesPerFolder} files, to ripgrep by hand with the same flags`,
        measured: median(toolMs) / median(byHandMs),
        unit: 'times',
        limit: { kind: 'at most', value: 1.5 },
        note: `${median(toolMs).toFixed(0)} ms and ${median(byHandMs).toFixed(0)} ms`,
      });
    }
    rows.push({
      name: `${folderCount * filesPerFolder} files without ripgrep, by grep`,
      measured: grepMs,
      unit: 'ms',
      limit: null,
      note: hasRipgrep ? 'the same lines' : 'ripgrep is not installed: apt-get install ripgrep',
    });
    return rows;
  },
};
