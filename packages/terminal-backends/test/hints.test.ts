import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const source = fileURLToPath(new URL('../src/', import.meta.url));
const settings = fileURLToPath(new URL('../../../docs/configuration.md', import.meta.url));
const help = fileURLToPath(new URL('../../command-line/src/help-text.ts', import.meta.url));

/** All texts of the package that a user may read. */
async function readTexts(): Promise<readonly string[]> {
  const names = await readdir(source, { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const contents = await Promise.all(files.map((name) => readFile(join(source, name), 'utf8')));
  return contents.flatMap((content) => content.match(/'[^'\n]*'|`[^`]*`/g) ?? []);
}

/** Names of the settings that the documentation lists, for example `terminal.docker.host`. */
async function readSettings(): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  let section = '';
  for (const line of (await readFile(settings, 'utf8')).split('\n')) {
    section = /^#+ `([a-z.]+)`$/.exec(line)?.[1] ?? section;
    const key = /^\| `([a-z_0-9]+)` /.exec(line)?.[1];
    if (key !== undefined) names.add(`${section}.${key}`);
  }
  return names;
}

test('every setting that a text names is one', async () => {
  const known = await readSettings();
  const named = (await readTexts()).flatMap((text) => text.match(/\bterminal(?:\.[a-z]\w*)+\b(?<!\.ts)/g) ?? []);
  expect(named).toContain('terminal.image');
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test('every command of the program that a text names is one', async () => {
  const text = await readFile(help, 'utf8');
  const named = (await readTexts()).flatMap((line) => line.match(/(?<=\(talaria )[a-z-]+(?: [a-z-]+)?/g) ?? []);
  expect(named).toContain('sandboxes sweep');
  expect(named.filter((name) => !text.includes(`talaria ${name} `))).toEqual([]);
});
