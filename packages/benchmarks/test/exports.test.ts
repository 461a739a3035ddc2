import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import * as root from '../src/index.ts';
import * as terminalTest from '../src/terminal-test/index.ts';

test('the entry points are these', async () => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  expect(Object.keys(manifest.exports)).toEqual(['.', './terminal-test', './package.json']);
});

test('each exports these names', () => {
  expect(Object.keys(root).sort()).toEqual(['createTerminalTest', 'terminalTest']);
  expect(Object.keys(terminalTest).sort()).toEqual(['createTerminalTest', 'terminalTest']);
});
