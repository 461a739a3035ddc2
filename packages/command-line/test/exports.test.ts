import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import * as root from '../src/index.ts';
import * as nodeVersion from '../src/node-version.ts';

test('the entry points are these', async () => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  expect(Object.keys(manifest.exports)).toEqual(['.', './node-version', './package.json']);
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

test('the version check exports one name', () => {
  expect(Object.keys(nodeVersion)).toEqual(['describeOldNode']);
});
