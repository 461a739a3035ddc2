import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';

const expected = {
  '@talaria/tools': [
    'allowAll',
    'builtinTools',
    'builtinToolsets',
    'createBuiltinRegistry',
    'createToolDispatcher',
    'createToolRegistry',
    'createToolState',
    'defaultResultLimits',
    'defaultToolSettings',
    'defineTool',
    'denyAll',
    'guarded',
    'inferToolError',
    'renderOpenTodos',
    'resolveToolSettings',
    'sandboxed',
    'toExtendedRegex',
    'todoState',
    'toolError',
    'toolResultBrand',
    'toolText',
  ],
  '@talaria/tools/testing': ['createTestDispatcher'],
};

test('the package has exactly these entry points with exactly these values', async () => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  const entries = Object.keys(manifest.exports)
    .filter((entry) => entry !== './package.json')
    .map((entry) => entry.replace('.', '@talaria/tools'));
  const actual = Object.fromEntries(
    await Promise.all(entries.map(async (entry) => [entry, Object.keys(await import(entry)).sort()])),
  );
  expect(actual).toEqual(expected);
});
