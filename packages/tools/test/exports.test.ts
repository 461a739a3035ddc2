import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';

const expected = {
  '@talaria/tools': [
    'allowAll',
    'builtinDistributions',
    'builtinTools',
    'builtinToolsets',
    'createBuiltinRegistry',
    'createInteractivePolicy',
    'createToolDispatcher',
    'createToolRegistry',
    'createToolState',
    'defaultResultLimits',
    'defaultToolSettings',
    'defineTool',
    'denyAll',
    'getDistribution',
    'guarded',
    'inferToolError',
    'parseDistribution',
    'prepareDistribution',
    'renderOpenTodos',
    'resolveToolSettings',
    'sandboxed',
    'seededDraw',
    'toExtendedRegex',
    'todoState',
    'toolError',
    'toolResultBrand',
    'toolText',
  ],
  '@talaria/tools/testing': ['createTestDispatcher'],
};

/** Each has a test of its own that pins its values, in the folder of its name. */
const others = ['./browser', './browser/playwright', './mcp', './models', './stores', './stores/contract', './web'];

test('the package has exactly these entry points with exactly these values', async () => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');
  expect(entries.toSorted()).toEqual(['.', ...others, './testing'].toSorted());
  const actual = Object.fromEntries(
    await Promise.all(Object.keys(expected).map(async (entry) => [entry, Object.keys(await import(entry)).sort()])),
  );
  expect(actual).toEqual(expected);
});
