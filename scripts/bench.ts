// `pnpm bench [word…]`: runs every packages/*/bench/*.bench.ts (or those whose path holds a word), each in a process of
// its own, prints one table, and fails where a limit is not kept. `word/part` asks the benchmarks that the word finds for
// that part only, for example `parsers/hermes`.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { pathToFileURL } from 'node:url';
import { type Benchmark, type BenchmarkRow, isWithinLimit } from '@talaria/testing-services/bench';

const rowsMark = 'BENCHMARK-ROWS ';

async function runOne(file: string, part: string | undefined): Promise<void> {
  const { benchmark } = (await import(pathToFileURL(file).href)) as { benchmark: Benchmark };
  const rows = await benchmark.run(part);
  process.stdout.write(`${rowsMark}${JSON.stringify(rows)}\n`);
}

function runInChild(file: string, part: string | undefined): readonly BenchmarkRow[] {
  const child = spawnSync(
    process.execPath,
    [
      '--conditions=@talaria/source',
      '--expose-gc',
      import.meta.filename,
      '--one',
      file,
      ...(part === undefined ? [] : [part]),
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 64 * 1024 * 1024 },
  );
  const line = child.stdout.split('\n').find((candidate) => candidate.startsWith(rowsMark));
  if (line === undefined) throw new Error(`${file} gave no rows (exit ${child.status})`);
  return JSON.parse(line.slice(rowsMark.length)) as readonly BenchmarkRow[];
}

interface Run {
  readonly file: string;
  readonly part?: string | undefined;
}

/** The files that the words name, and the part of each that is asked for. */
function findRuns(words: readonly string[]): readonly Run[] {
  const files = globSync(['packages/*/bench/*.bench.ts', 'apps/*/bench/*.bench.ts']).sort();
  if (words.length === 0) return files.map((file) => ({ file }));
  return words.flatMap((word): Run[] => {
    const found = files.filter((file) => file.includes(word)).map((file): Run => ({ file }));
    const at = word.lastIndexOf('/');
    if (found.length > 0 || at < 0) return found;
    const part = word.slice(at + 1);
    return files.filter((file) => file.includes(word.slice(0, at))).map((file) => ({ file, part }));
  });
}

function formatRow(row: BenchmarkRow): string {
  const verdict =
    row.limit === null ? '' : `${row.limit.kind} ${row.limit.value}  ${isWithinLimit(row) ? 'ok' : 'MISSED'}`;
  const figure = `${row.measured.toPrecision(4)} ${row.unit}`;
  return `  ${row.name.padEnd(58)} ${figure.padStart(16)}   ${verdict}${row.note === undefined ? '' : `   (${row.note})`}`;
}

async function main(): Promise<void> {
  const [first, second, third] = process.argv.slice(2);
  if (first === '--one' && second !== undefined) {
    await runOne(second, third);
    return;
  }
  const runs = findRuns(process.argv.slice(2));
  const commit = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).stdout.trim();
  console.log(
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}, commit ${commit}`,
  );
  let missed = 0;
  for (const { file, part } of runs) {
    console.log(`\n${file}${part === undefined ? '' : `, ${part}`}`);
    for (const row of runInChild(file, part)) {
      console.log(formatRow(row));
      if (!isWithinLimit(row)) missed += 1;
    }
  }
  if (missed > 0) {
    console.error(`\n${missed} limits missed`);
    process.exitCode = 1;
  }
}

await main();
