import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';

async function bundle(source: string): Promise<{ readonly bytes: number; readonly files: readonly string[] }> {
  const result = await build({
    stdin: { contents: source, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    conditions: ['@talaria/source'],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
  });
  const bytes = result.outputFiles[0]?.contents.length ?? Number.POSITIVE_INFINITY;
  return { bytes, files: Object.keys(result.metafile.inputs) };
}

test('one format alone is below 12 kB, and brings neither the registry nor the contract', async () => {
  const { bytes, files } = await bundle(`export { hermes } from '@talaria/tool-call-parsers/hermes';`);
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThan(12_000);
  expect(files.filter((file) => /registry|contract/.test(file))).toEqual([]);
});

test('an import that is not used leaves nothing behind', async () => {
  const { bytes } = await bundle(`import { getParser } from '@talaria/tool-call-parsers'; export const one = 1;`);
  expect(bytes).toBeLessThan(100);
});
