/** One measured figure, beside the limit that it has to keep. */
export interface BenchmarkRow {
  readonly name: string;
  readonly measured: number;
  /** What the figure counts: `spawn` (see {@link measureSpawnMs}), `ratio`, `ms`, `MiB`. */
  readonly unit: string;
  /** `null` where the figure is only told. */
  readonly limit: { readonly kind: 'at most' | 'at least'; readonly value: number } | null;
  /** What stands behind it, in numbers. */
  readonly note?: string | undefined;
}

/** A benchmark: a file `bench/<name>.bench.ts` of a package exports one as `benchmark`. Each runs in its own process. */
export interface Benchmark {
  readonly name: string;
  /** `only` is the one part that was asked for; a benchmark of one part has no use for it. */
  readonly run: (only?: string) => Promise<readonly BenchmarkRow[]>;
}

/** Whether a row keeps its limit. */
export function isWithinLimit(row: BenchmarkRow): boolean {
  if (row.limit === null) return true;
  return row.limit.kind === 'at most' ? row.measured <= row.limit.value : row.measured >= row.limit.value;
}
