import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createFakeHost } from '../../test/fake-host.ts';
import { readTools } from './read-tools.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-tools-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function read(text: string) {
  await writeFile(join(folder, 'tools.json'), text);
  return readTools(createFakeHost({ cwd: folder }), 'tools.json');
}

const parameters = { type: 'object', properties: { city: { type: 'string' } } };

test('both shapes of a request are read', async () => {
  const tools = [
    { type: 'function', function: { name: 'weather', description: 'Tells it.', parameters } },
    { type: 'function', name: 'time', parameters: null, strict: true },
    { name: 'date' },
  ];
  expect(await read(`\uFEFF${JSON.stringify(tools)}`)).toEqual([
    { function: { name: 'weather', parameters } },
    { name: 'time', parameters: null },
    { name: 'date', parameters: null },
  ]);
});

test.each([
  ['no JSON', '[{]', /tools\.json is no JSON: /u],
  ['a request around the array', '{"tools": []}', /holds an object, not an array of tools/u],
  ['a text', '"tools"', /holds "tools", not an array/u],
  ['an entry that is no object', '[{"name": "a"}, null]', /holds null as tools\[1\], not an object/u],
  ['a tool that is no function', '[{"type": "web_search"}]', /the type "web_search" in tools\[0\]/u],
  ['a function without a name', '[{"function": {}}]', /has nothing as tools\[0\]\.function\.name, not a name/u],
  ['an empty name', '[{"name": ""}]', /has "" as tools\[0\]\.name/u],
  ['a function that is no object', '[{"function": "ls"}]', /has "ls" as tools\[0\]\.function, not an object/u],
  [
    'a schema that is a list',
    '[{"name": "a", "parameters": []}]',
    /an array as tools\[0\]\.parameters, not a JSON schema/u,
  ],
])('%s is refused, with the place', async (_title, text, message) => {
  await expect(read(text)).rejects.toMatchObject({
    code: 'config.bad-tools',
    message: expect.stringMatching(message),
    hint: expect.stringContaining('"tools"'),
  });
});

test('a file without end is not read to its end', async () => {
  await expect(readTools(createFakeHost({ cwd: folder }), '/dev/zero')).rejects.toMatchObject({
    code: 'config.bad-tools',
    message: '/dev/zero is larger than 16 MiB',
  });
});
