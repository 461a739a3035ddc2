import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

test('the entry points are these', () => {
  expect(Object.keys(manifest.exports)).toEqual([
    '.',
    './local',
    './docker',
    './ssh',
    './modal',
    './singularity',
    './daytona',
    './contract',
    './testing',
    './package.json',
  ]);
});

test.each([
  ['.', ['createSandboxLease', 'createSandboxPool']],
  ['./local', ['createLocalBackend']],
  ['./docker', ['createDockerBackend']],
  ['./ssh', ['createSshBackend']],
  ['./modal', ['createModalBackend']],
  ['./singularity', ['createSingularityBackend']],
  ['./daytona', ['createDaytonaBackend']],
  ['./contract', ['sandboxContract', 'selectContractCases']],
  ['./testing', ['createFakeBackend', 'createFakeSandbox']],
])('%s exports %j', async (entry, names) => {
  const { '@talaria/source': source } = manifest.exports[entry];
  expect(Object.keys(await import(new URL(`../${source}`, import.meta.url).href)).sort()).toEqual(names);
});
