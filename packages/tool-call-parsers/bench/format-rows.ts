import { type BenchmarkRow, isWithinLimit } from '@talaria/testing-services/bench';
import { type FormatCriterion, formatCriteria } from './format-criteria.ts';
import type { FormatFigures } from './format-figures.ts';

/** The figures of one format, of each process in which it was measured. */
export type FormatAttempts = readonly FormatFigures[];

/**
 * One row for each criterion, of the format that is worst at it, and one for each further format that misses the limit:
 * twenty rows for each of forty formats would be read by nobody.
 */
export function formatRows(all: readonly FormatAttempts[]): readonly BenchmarkRow[] {
  return criteriaOf(all).flatMap((criterion) => {
    const sign = higherIsBetter(criterion) ? 1 : -1;
    const [worst, ...others] = all
      .flatMap((attempts) => rowOf(criterion, attempts))
      .sort((left, right) => sign * (left.measured - right.measured));
    return worst === undefined ? [] : [worst, ...others.filter((row) => !isWithinLimit(row))];
  });
}

/** Whether a format misses a limit in all of its attempts. */
export function missesLimit(attempts: FormatAttempts): boolean {
  return criteriaOf([attempts]).some((criterion) => !rowOf(criterion, attempts).every(isWithinLimit));
}

function criteriaOf(all: readonly FormatAttempts[]): readonly FormatCriterion[] {
  return formatCriteria([...new Set(all.flat().flatMap(({ hostile }) => hostile.map(({ family }) => family)))]);
}

function higherIsBetter({ limit }: FormatCriterion): boolean {
  return limit?.kind !== 'at most';
}

/**
 * The row of a format, none where the criterion is not for it. It tells the best attempt: what disturbs a run, be it
 * another program, how memory happens to lie or what the compiler chose, can only make it slower.
 */
function rowOf(criterion: FormatCriterion, attempts: FormatAttempts): readonly BenchmarkRow[] {
  const { name, unit, limit, read } = criterion;
  const sign = higherIsBetter(criterion) ? -1 : 1;
  const rows = attempts.flatMap((figures): BenchmarkRow[] => {
    const found = read(figures);
    if (found === undefined) return [];
    const processes = attempts.length > 1 ? `best of ${attempts.length} processes` : undefined;
    const note = [[figures.format, found.note].filter(Boolean).join(': '), processes].filter(Boolean).join(', ');
    return [{ name, unit, limit, measured: found.measured, note }];
  });
  return rows.sort((left, right) => sign * (left.measured - right.measured)).slice(0, 1);
}
