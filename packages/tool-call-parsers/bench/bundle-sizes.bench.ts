import type { Benchmark, BenchmarkRow } from '@talaria/testing-services/bench';
import { bundleModules } from '../test/bundle-entries.ts';
import { entryPoints, readFormatEntries } from '../test/entry-points.ts';

/** How large each entry is, bundled alone and minified. */
export const benchmark: Benchmark = {
  name: 'bundle-sizes',
  async run() {
    const formatEntries = await readFormatEntries();
    const limits = new Map([['index', 90], ...[...formatEntries.keys()].map((name) => [name, 12] as const)]);
    const bundles = await bundleModules(
      new Map([...entryPoints].map(([name, specifier]) => [name, `export * from '${specifier}';`])),
    );
    return [...bundles].map(([name, { bytes }]): BenchmarkRow => {
      const limit = limits.get(name);
      return {
        name: `${entryPoints.get(name)}, minified`,
        measured: bytes / 1000,
        unit: 'kB',
        limit: limit === undefined ? null : { kind: 'at most', value: limit },
      };
    });
  },
};
