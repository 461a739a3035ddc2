import type { BenchmarkRow } from '@talaria/testing-services/bench';
import type { FormatFigures } from './format-figures.ts';
import { textBodiedFormats, wholeFloors } from './text-bodied-formats.ts';

/** One thing that is demanded of formats, or only told of them where `limit` is `null`. */
export interface FormatCriterion {
  readonly name: string;
  readonly unit: string;
  readonly limit: BenchmarkRow['limit'];
  /** What was measured of a format, and in words what stands behind it; undefined where the criterion is not for it. */
  readonly read: (figures: FormatFigures) => { readonly measured: number; readonly note?: string } | undefined;
}

/** What is demanded of every format, hostile families as the figures name them. */
export function formatCriteria(families: readonly string[]): readonly FormatCriterion[] {
  return [
    floor('JSON-bodied, 64 KiB: whole / JSON.parse', wholeFloors.jsonBodied, besideJson(false, 'plain')),
    floor(
      'JSON-bodied, 64 KiB, other scripts: whole / JSON.parse',
      wholeFloors.jsonBodied,
      besideJson(false, 'otherScripts'),
    ),
    floor('text-bodied, 64 KiB: whole / JSON.parse', wholeFloors.textBodied, besideJson(true, 'plain')),
    floor(
      'text-bodied, 64 KiB, other scripts: whole / JSON.parse',
      wholeFloors.textBodied,
      besideJson(true, 'otherScripts'),
    ),
    floor('64 KiB: 200-char deltas / whole', 1 / 3, ({ by200ToWhole }) => ({ measured: by200ToWhole })),
    floor('64 KiB: 20-char deltas / whole', 1 / 10, ({ by20ToWhole }) => ({ measured: by20ToWhole })),
    ceiling('1 MiB: time in 1-char deltas / whole', 40, ({ by1TimesWhole }) => ({ measured: by1TimesWhole })),
    ceiling('1 MiB: time in 1-char deltas', 1000, ({ by1Ms }) => ({ measured: by1Ms }), 'ms'),
    ceiling('growth, corpus whole: 1 MiB / 64 KiB', 20, ({ growth }) => ({ measured: growth })),
    ceiling('growth, corpus in 1-char deltas: 1 MiB / 64 KiB', 20, ({ by1Growth }) => ({ measured: by1Growth })),
    ...families.map((family) =>
      ceiling(`growth, hostile, ${family}: 1 MiB / 64 KiB`, 20, ({ hostile }) => {
        const found = hostile.find((entry) => entry.family === family);
        return found && { measured: found.growth, note: `${found.largeMs.toFixed(1)} ms` };
      }),
    ),
    ...['4 KiB', '64 KiB'].map((size, index): FormatCriterion => {
      return {
        name: `${size}: naive re-parse / stream, 20-char deltas`,
        unit: 'ratio',
        limit: null,
        read: readNaive(index),
      };
    }),
  ];
}

function floor(name: string, value: number, read: FormatCriterion['read']): FormatCriterion {
  return { name, unit: 'ratio', limit: { kind: 'at least', value }, read };
}

function ceiling(name: string, value: number, read: FormatCriterion['read'], unit = 'ratio'): FormatCriterion {
  return { name, unit, limit: { kind: 'at most', value }, read };
}

function besideJson(isTextBodied: boolean, reply: 'plain' | 'otherScripts'): FormatCriterion['read'] {
  return (figures) => {
    if (textBodiedFormats.has(figures.format) !== isTextBodied) return undefined;
    const { whole, reference } = figures[reply];
    return { measured: whole / reference, note: `${whole.toFixed(0)} of ${reference.toFixed(0)} MB/s` };
  };
}

function readNaive(index: number): FormatCriterion['read'] {
  return ({ naive }) => {
    const figures = naive[index];
    if (figures === undefined) return undefined;
    const { timesStream, readShare } = figures;
    return readShare === 1
      ? { measured: timesStream }
      : { measured: timesStream, note: `at least; stopped after ${(readShare * 100).toFixed(0)} % of the text` };
  };
}
