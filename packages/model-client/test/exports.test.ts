import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';

const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

const expected: Readonly<Record<string, readonly string[]>> = {
  '.': [
    'costOf',
    'createPriceTable',
    'createRateLimiter',
    'defaultPrices',
    'extractReasoning',
    'findProvider',
    'normaliseAssistantMessage',
    'normaliseToolCalls',
    'providers',
    'resolveProvider',
  ],
  './openai': ['createOpenAiModel'],
  './testing': ['scriptedModel'],
  './replay': ['openReplayModel', 'recordModel'],
  './contract': ['chatModelContract'],
};

test('the package has exactly these entry points', () => {
  expect(Object.keys(manifest.exports).filter((entry) => entry !== './package.json')).toEqual(Object.keys(expected));
});

test.each(Object.entries(expected))('%s exports exactly these names', async (entry, names) => {
  const module: object = await import(`@talaria/model-client${entry.slice(1)}`);
  expect(Object.keys(module).sort()).toEqual(names);
});
