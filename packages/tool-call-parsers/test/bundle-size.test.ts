import { beforeAll, describe, expect, test } from '@jest/globals';
import { listParsers } from '@talaria/tool-call-parsers';
import { type BundledModule, bundleModules } from './bundle-entries.ts';
import { entryPoints, readFormatEntries } from './entry-points.ts';
import { rootLimit, sizeLimit } from './size-limits.ts';

const formatEntries = await readFormatEntries();
const formatNames = [...formatEntries.keys()];
let bundles: ReadonlyMap<string, BundledModule>;

beforeAll(async () => {
  bundles = await bundleModules(
    new Map([...entryPoints].map(([name, specifier]) => [name, `export * from '${specifier}';`])),
  );
});

/** The files of these entries' folders, of those that were read for a module. */
function filesOf(folders: readonly string[], files: readonly string[] = []): readonly string[] {
  return files.filter((file) => folders.some((folder) => file.startsWith(`src/${folder}/`)));
}

test('each format is exported by exactly one entry of its own', () => {
  const exported = [...formatEntries.values()].flat().map((parser) => parser.name);
  expect(exported.sort()).toEqual([...listParsers()]);
});

describe.each(formatNames)('%s alone', (name) => {
  test(`is below ${sizeLimit(name)} bytes`, () => {
    const bytes = bundles.get(name)?.bytes ?? Number.NaN;
    expect(bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThan(sizeLimit(name));
  });

  test('brings itself, no other format, and neither the registry nor the contract', () => {
    const files = bundles.get(name)?.files;
    expect(filesOf([name], files)).not.toEqual([]);
    expect(filesOf([...formatNames.filter((other) => other !== name), 'contract'], files)).toEqual([]);
    expect(files?.filter((file) => /registry/.test(file))).toEqual([]);
  });
});

test('all formats together are below 90 kB', () => {
  const all = bundles.get('index');
  expect(formatNames.filter((name) => filesOf([name], all?.files).length === 0)).toEqual([]);
  const sizes = [...bundles].map(([name, { bytes }]) => `${name}: ${bytes} bytes`);
  // The sizes of all are shown where this fails.
  expect((all?.bytes ?? Number.NaN) < rootLimit ? [] : sizes).toEqual([]);
});

test('an import that is not used leaves nothing behind, one that needs no format brings none', async () => {
  const unused = [...entryPoints].map(([name, specifier]): [string, string] => [
    name,
    `import * as unused from '${specifier}'; export const one = 1;`,
  ]);
  const errorOnly = `export { UnrenderableError } from '@talaria/tool-call-parsers';`;
  const { error, ...others } = Object.fromEntries(await bundleModules(new Map([...unused, ['error', errorOnly]])));
  for (const { bytes } of Object.values(others)) expect(bytes).toBeLessThan(50);
  expect(filesOf(formatNames, error?.keptFiles)).toEqual([]);
});
