export { type Benchmark, type BenchmarkRow, isWithinLimit } from './benchmark.ts';
export { measureSpawnMs, median, quantile, sampleMs, spawnToEnd } from './measure.ts';
