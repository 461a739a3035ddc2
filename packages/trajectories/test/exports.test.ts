import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';

const expected: Readonly<Record<string, readonly string[]>> = {
  '.': [
    'countGroups',
    'countToolCalls',
    'decodeRollout',
    'encodeRollout',
    'finalAnswer',
    'firstPrompt',
    'itemIdOf',
    'messageReasoning',
    'renderGroupsHtml',
    'rolloutSchema',
    'rolloutText',
    'sampleIdOf',
    'toGroupLine',
    'toRolloutRow',
    'toSampleRow',
  ],
  './testing': ['sampleRollout'],
};

test('the entry points and their names are the ones that are promised', async () => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    exports: Record<string, string | Record<string, string>>;
  };
  const actual: Record<string, string[]> = {};
  for (const [entry, target] of Object.entries(manifest.exports)) {
    if (typeof target === 'string') continue;
    const names = await import(new URL(`../${target['@talaria/source']}`, import.meta.url).href);
    actual[entry] = Object.keys(names).sort();
  }
  expect(actual).toEqual(expected);
});
