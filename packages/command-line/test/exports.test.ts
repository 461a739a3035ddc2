import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import * as root from '../src/index.ts';

test('the entry points are these', async () => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  expect(Object.keys(manifest.exports)).toEqual(['.', './package.json']);
});

test('the root exports these names', () => {
  expect(Object.keys(root).sort()).toEqual([
    'createNodeHost',
    'isMainModule',
    'runEnvironmentCli',
    'runMain',
    'runProgram',
  ]);
});
