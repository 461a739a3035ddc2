import { type BenchmarkRow, isWithinLimit } from '@talaria/testing-services/bench';
import { type FormatCriterion, formatCriteria } from './format-criteria.ts';
import type { FormatFigures } from './format-figures.ts';

/**
 * One row for each criterion, of the format that is worst at it, and one for each further format that misses the limit:
 * twenty rows for each of forty formats would be read by nobody.
 */
export function formatRows(all: readonly FormatFigures[]): readonly BenchmarkRow[] {
  const families = new Set(all.flatMap((figures) => figures.hostile.map(({ family }) => family)));
  return formatCriteria([...families]).flatMap((criterion) => {
    const [worst, ...others] = rowsOf(criterion, all);
    return worst === undefined ? [] : [worst, ...others.filter((row) => !isWithinLimit(row))];
  });
}

/** A row for each format, the worst first. */
function rowsOf({ name, unit, limit, read }: FormatCriterion, all: readonly FormatFigures[]): readonly BenchmarkRow[] {
  const rows = all.flatMap((figures): BenchmarkRow[] => {
    const found = read(figures);
    if (found === undefined) return [];
    const note = [figures.format, found.note].filter(Boolean).join(': ');
    return [{ name, unit, limit, measured: found.measured, note }];
  });
  const sign = limit?.kind === 'at most' ? -1 : 1;
  return rows.sort((left, right) => sign * (left.measured - right.measured));
}
