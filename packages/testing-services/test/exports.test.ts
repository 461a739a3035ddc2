import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';

const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

const expected: Readonly<Record<string, readonly string[]>> = {
  '.': ['createScriptedServer', 'findChromium', 'isServerFault'],
  './bench': ['isWithinLimit', 'measureSpawnMs', 'median', 'quantile', 'sampleMs', 'spawnToEnd'],
  './daytona': ['createDaytonaDouble'],
  './modal': ['createModalDouble'],
  './services': ['findService', 'planTests', 'serviceNames', 'thoroughRuns'],
  './services/jest': ['describeWithService'],
};

test('the package has exactly these entry points', () => {
  expect(Object.keys(manifest.exports).filter((entry) => entry !== './package.json')).toEqual(Object.keys(expected));
});

test.each(Object.entries(expected))('%s exports exactly these names', async (entry, names) => {
  const module: object = await import(`@talaria/testing-services${entry.slice(1)}`);
  expect(Object.keys(module).sort()).toEqual(names);
});
