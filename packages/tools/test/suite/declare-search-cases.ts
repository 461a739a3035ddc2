import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@talaria/core';
import type { OpenPlace, ToolPlace } from './open-place.ts';

const tree: Readonly<Record<string, string>> = {
  'src/a.ts': 'const alpha = 1;\nconst beta = 2;\nexport { alpha };\n',
  'src/deep/c.ts': 'let gamma = alpha;\n-dash line\n',
  'odd/x:12:y.txt': 'alpha:34:omega\n',
  'odd/with space.txt': 'alpha here\n',
  'odd/new\nline.txt': 'alpha there\n',
  'many.txt': Array.from({ length: 30 }, (_, index) => `item ${index}\n`).join(''),
  '.hidden/secret.txt': 'alpha in hiding\n',
};

const program = { ripgrep: 'rg', grep: 'grep', builtin: 'true' } as const;

/** Declares what `search_files` must do on every backend, with each of the engines that the sandbox has. */
export function declareSearchCases(open: OpenPlace): void {
  describe.each(['ripgrep', 'grep', 'builtin'] as const)('with %s', (searchEngine) => {
    let place: ToolPlace;
    let isThere = false;
    beforeAll(async () => {
      place = await open({ settings: { searchEngine } });
      isThere = (await place.sandbox.run(`command -v ${program[searchEngine]}`)).output !== '';
      for (const [path, content] of Object.entries(tree)) await place.sandbox.writeFile(path, content);
      // The newest stands between older ones of other folders, and no folder is as new as what is in it.
      await place.sandbox.run(
        'touch -d @1700000000 src/a.ts src; touch -d @1700002000 src/deep/c.ts; touch -d @1700001000 odd/*',
      );
      await place.sandbox.run('touch -d @1600000000 src/deep odd; touch -d @1700000500 many.txt');
      if (!isThere)
        process.stderr.write(`SKIPPED search_files with ${searchEngine} on ${place.sandbox.kind}: not installed\n`);
    });
    afterAll(async () => place[Symbol.asyncDispose]());

    /** A search in the folder of the place; cases of an engine that is not there pass, which was told. */
    function searchTest(
      title: string,
      check: (search: (args: JsonObject) => Promise<JsonObject>) => Promise<void>,
    ): void {
      test(title, async () => {
        if (isThere) await check((args) => place.tools.callJson('search_files', { path: place.folder, ...args }));
      });
    }
    function linesOf(result: JsonObject): string[] {
      const matches = Array.isArray(result['matches']) ? result['matches'].filter(isJsonObject) : [];
      return matches.map(({ path, line }) => `${String(path).slice(place.folder.length + 1)}:${line}`);
    }

    searchTest('finds lines of files with odd names, without hidden ones', async (search) => {
      const result = await search({ pattern: 'alpha' });
      expect(linesOf(result)).toEqual([
        'odd/new\nline.txt:1',
        'odd/with space.txt:1',
        'odd/x:12:y.txt:1',
        'src/a.ts:1',
        'src/a.ts:3',
        'src/deep/c.ts:1',
      ]);
      expect(result['total_count']).toBe(6);
    });

    searchTest('pages together are the whole', async (search) => {
      for (const args of [
        { pattern: 'item' },
        { pattern: 'alpha', output_mode: 'count' },
        { target: 'files', pattern: '*' },
      ]) {
        const itemsOf = (page: JsonObject): readonly unknown[] => {
          if (isJsonObject(page['counts'])) return Object.entries(page['counts']);
          const list = page['matches'] ?? page['files'];
          return Array.isArray(list) ? list : [];
        };
        const whole = itemsOf(await search({ ...args, limit: 100 }));
        expect(whole.length).toBeGreaterThanOrEqual(5);
        const pages: unknown[] = [];
        for (let offset = 0, isMore = true; isMore; offset += 5) {
          const page = await search({ ...args, limit: 5, offset });
          pages.push(...itemsOf(page));
          isMore = page['truncated'] === true;
          if (isMore) expect(page['hint']).toBe(`Use offset=${offset + 5} to see more`);
        }
        expect(pages).toEqual(whole);
      }
    });

    searchTest('files come newest first, whatever their folders', async (search) => {
      expect((await search({ target: 'files', pattern: '*.t*' }))['files']).toEqual(
        ['src/deep/c.ts', 'odd/new\nline.txt', 'odd/with space.txt', 'odd/x:12:y.txt', 'many.txt', 'src/a.ts'].map(
          (path) => `${place.folder}/${path}`,
        ),
      );
    });

    searchTest('a pattern that starts with a dash is a pattern, a bad one an error', async (search) => {
      expect(linesOf(await search({ pattern: '-dash' }))).toEqual(['src/deep/c.ts:2']);
      const bad = await search({ pattern: 'foo(' });
      expect(bad).toMatchObject({ error_kind: 'invalid_args', hint: expect.stringContaining('backslash') });
    });

    searchTest('context lines come with their matches', async (search) => {
      const { matches } = await search({ pattern: 'beta', context: 1 });
      const path = `${place.folder}/src/a.ts`;
      expect(matches).toEqual([
        { path, line: 1, content: 'const alpha = 1;', context: true },
        { path, line: 2, content: 'const beta = 2;' },
        { path, line: 3, content: 'export { alpha };', context: true },
      ]);
    });

    searchTest('the root of everything is searched without devices and processes', async (search) => {
      // Only where it is a container's, since a whole machine has too many files, and with a program that is fast enough.
      if (place.sandbox.capabilities.isolation === 'none' || searchEngine === 'builtin') return;
      const found = await search({ path: '/', target: 'files', pattern: 'x:12:y.txt' });
      expect(found['files']).toEqual([`${place.folder}/odd/x:12:y.txt`]);
      expect(await search({ path: '/', target: 'files', pattern: 'cmdline', limit: 500 })).toMatchObject({ files: [] });
    });
  });

  test('without ripgrep grep is taken, and told', async () => {
    await using place = await open();
    await place.sandbox.writeFile('a.txt', 'needle\n');
    const hasRipgrep = (await place.sandbox.run('command -v rg')).output !== '';
    const result = await place.tools.callJson('search_files', { pattern: 'needle', path: place.folder });
    expect(result).toMatchObject({ total_count: 1 });
    expect(result['engine']).toBe(hasRipgrep ? undefined : 'grep');
  });
}
