import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Benchmark, BenchmarkRow } from '@talaria/testing-services/bench';
import { listParsers } from '@talaria/tool-call-parsers';
import type { FormatFigures } from './format-figures.ts';
import { type FormatAttempts, formatRows, missesLimit } from './format-rows.ts';
import { tableHead, tableLine } from './format-table.ts';

/** Speed of every format, whole and streamed, and growth on hostile text. A table of all goes to standard error. */
export const benchmark: Benchmark = {
  name: 'parsers',
  run: async (only) => {
    const formats = listParsers().filter((format) => only === undefined || format === only);
    const measured: FormatAttempts[] = [];
    const faults: string[] = [];
    console.error(tableHead());
    for (const format of formats) {
      const outcome = measureFormat(format);
      if (typeof outcome === 'string') {
        faults.push(`${format}: ${outcome}`);
        console.error(`${format}: ${outcome}`);
      } else measured.push(outcome);
    }
    return [coverageRow(formats.length, faults), ...formatRows(measured)];
  },
};

const flags = ['--conditions=@talaria/source', '--expose-gc', '--single-threaded-gc'];

/** In how many processes a format is measured that misses a limit. */
const maximumAttempts = 3;

/**
 * The figures of a format, or why there are none. From process to process the same code is up to a fifth faster or
 * slower, by what is compiled when and how memory lies, so what misses a limit is measured again.
 */
function measureFormat(format: string): FormatAttempts | string {
  const attempts: FormatFigures[] = [];
  do {
    const outcome = measureAlone(format);
    if (typeof outcome === 'string') return outcome;
    attempts.push(outcome);
    console.error(tableLine(outcome));
  } while (attempts.length < maximumAttempts && missesLimit(attempts));
  return attempts;
}

/** The figures of a format, measured in a process of its own, or why there are none. */
function measureAlone(format: string): FormatFigures | string {
  const program = fileURLToPath(new URL('measure-process.ts', import.meta.url));
  const child = spawnSync(process.execPath, [...flags, program, format], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (child.status === 0) return JSON.parse(child.stdout) as FormatFigures;
  const reason = /^\w*Error:? .*$/m.exec(child.stderr)?.[0] ?? child.stderr.slice(-300);
  return `not measured, exit ${child.status}: ${reason}`;
}

function coverageRow(formatCount: number, faults: readonly string[]): BenchmarkRow {
  return {
    name: 'formats measured (each writes the corpus, reads it back)',
    measured: (formatCount - faults.length) / formatCount,
    unit: 'of all',
    limit: { kind: 'at least', value: 1 },
    note: [`${formatCount} formats`, ...faults].join('; '),
  };
}
