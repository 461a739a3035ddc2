import type { Benchmark, BenchmarkRow } from '@talaria/testing-services/bench';
import { bundleModules } from '../test/bundle-entries.ts';
import { entryPoints, readFormatEntries } from '../test/entry-points.ts';
import { rootLimit, sizeLimit } from '../test/size-limits.ts';

/** How large each entry is, bundled alone and minified. */
export const benchmark: Benchmark = {
  name: 'bundle-sizes',
  async run() {
    const formatEntries = await readFormatEntries();
    const limits = new Map([
      ['index', rootLimit],
      ...[...formatEntries.keys()].map((name) => [name, sizeLimit(name)] as const),
    ]);
    const bundles = await bundleModules(
      new Map([...entryPoints].map(([name, specifier]) => [name, `export * from '${specifier}';`])),
    );
    return [...bundles].map(([name, { bytes }]): BenchmarkRow => {
      const limit = limits.get(name);
      return {
        name: `${entryPoints.get(name)}, minified`,
        measured: bytes / 1000,
        unit: 'kB',
        limit: limit === undefined ? null : { kind: 'at most', value: limit / 1000 },
      };
    });
  },
};
