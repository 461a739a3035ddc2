import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

test('the entry point has exactly these values', async () => {
  const names = Object.keys(await import('@talaria/tools/models')).sort();
  expect(names).toEqual(['createModelTools', 'createOpenAiImageModel', 'createOpenAiToolModel']);
});

test('importing it, or the stores, loads no library that only some need', () => {
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        console.log(found.url);
        return found;
      },
    });
    await import('@talaria/tools/models');
    await import('@talaria/tools/stores');
  `;
  const words = ['--conditions=@talaria/source', '--no-warnings', '--input-type=module', '--eval', script];
  const folder = new URL('.', import.meta.url);
  const loaded = execFileSync(process.execPath, words, { cwd: folder, encoding: 'utf8' }).split('\n');
  expect(loaded.some((url) => url.endsWith('/src/models/index.ts'))).toBe(true);
  expect(loaded.filter((url) => /node:sqlite|\/node_modules\/(?:openai|undici|yaml|playwright)/.test(url))).toEqual([]);
});
