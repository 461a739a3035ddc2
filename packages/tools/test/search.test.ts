import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@talaria/core';
import { type LocalTools, openLocalTools } from './open-local-sandbox.ts';

const hasRipgrep = spawnSync('rg', ['--version']).status === 0;
const mustHaveAll = process.env['TALARIA_REQUIRE_SERVICES'] === '1';
const engines = ['ripgrep', 'grep', 'builtin'] as const;

test('ripgrep is there to be tested', () => {
  if (!hasRipgrep)
    process.stderr.write('SKIPPED search_files with ripgrep: rg is not installed (apt-get install ripgrep)\n');
  expect(hasRipgrep || !mustHaveAll).toBe(true);
});

const tree: Readonly<Record<string, string | Uint8Array>> = {
  'src/a.ts': 'const alpha = 1;\nconst beta = 2;\nexport { alpha };\n',
  'src/b.py': 'alpha = 1\nprint(alpha)\n',
  'src/deep/c.ts': 'let gamma = alpha;\n-dash line\n',
  'odd/x:12:y.txt': 'alpha:34:omega\n',
  'odd/with space.txt': 'alpha here\n',
  'long.txt': `${'x'.repeat(600)}alpha\n`,
  'crlf.txt': 'first\r\nalpha\r\n',
  'many.txt': Array.from({ length: 30 }, (_, index) => `item ${index}\n`).join(''),
  'data.bin': Uint8Array.of(97, 108, 112, 104, 97, 0, 1, 2),
  '.hidden/secret.txt': 'alpha in hiding\n',
  '.env': 'alpha=1\n',
};

describe.each(engines.filter((engine) => engine !== 'ripgrep' || hasRipgrep))(
  'search_files with %s',
  (searchEngine) => {
    let local: LocalTools;
    beforeAll(async () => {
      local = await openLocalTools({ settings: { searchEngine } });
      for (const [path, content] of Object.entries(tree)) await local.sandbox.writeFile(`work/${path}`, content);
      let time = 1_700_000_000;
      for (const path of ['src/a.ts', 'src/b.py', 'src/deep/c.ts']) {
        time += 1_000;
        await local.sandbox.run(`touch -d @${time} work/${path}`);
      }
      await local.sandbox.run('cd work');
    });
    afterAll(async () => local[Symbol.asyncDispose]());

    const search = (args: JsonObject) => local.tools.callJson('search_files', args);
    const pathsOf = (result: JsonObject): string[] =>
      (Array.isArray(result['matches']) ? result['matches'] : []).map((match) => `${match.path}:${match.line}`);

    test('finds lines with path and number, sorted, without hidden and binary files', async () => {
      const result = await search({ pattern: 'alpha' });
      expect(pathsOf(result)).toEqual([
        'crlf.txt:2',
        'long.txt:1',
        'odd/with space.txt:1',
        'odd/x:12:y.txt:1',
        'src/a.ts:1',
        'src/a.ts:3',
        'src/b.py:1',
        'src/b.py:2',
        'src/deep/c.ts:1',
      ]);
      expect(result['total_count']).toBe(9);
      expect(result['truncated']).toBeUndefined();
      expect(result['engine']).toBe(searchEngine === 'ripgrep' ? undefined : searchEngine);
    });

    test('content is the line, without its ending, cut at 500 characters', async () => {
      const result = await search({ pattern: 'alpha', path: 'crlf.txt' });
      expect(result['matches']).toEqual([{ path: 'crlf.txt', line: 2, content: 'alpha' }]);
      const odd = await search({ pattern: 'omega', path: 'odd' });
      expect(odd['matches']).toEqual([{ path: 'odd/x:12:y.txt', line: 1, content: 'alpha:34:omega' }]);
      const long = await search({ pattern: 'xalpha$', path: 'long.txt' });
      expect(long['matches']).toEqual([{ path: 'long.txt', line: 1, content: 'x'.repeat(500) }]);
    });

    test('pages together are the whole, and say that there is more', async () => {
      const whole = pathsOf(await search({ pattern: 'item', limit: 100 }));
      expect(whole).toHaveLength(30);
      const pages: string[] = [];
      for (let offset = 0; ; ) {
        const page = await search({ pattern: 'item', limit: 7, offset });
        pages.push(...pathsOf(page));
        if (page['truncated'] !== true) break;
        expect(page['hint']).toBe(`Use offset=${offset + 7} to see more`);
        offset += 7;
      }
      expect(pages).toEqual(whole);
    });

    test('the first page holds the first files, whatever the order in which they are found', async () => {
      const names = Array.from({ length: 40 }, (_, index) => `f${(index * 7) % 40}.txt`);
      for (const name of names) await local.sandbox.writeFile(`crowd/${name}`, 'hit\nhit\nhit\n');
      const page = await search({ pattern: 'hit', path: 'crowd', limit: 5, context: 1 });
      const first = ['f0', 'f1'].flatMap((name) => [1, 2, 3].map((line) => `crowd/${name}.txt:${line}`));
      if (searchEngine !== 'builtin') {
        const matches = Array.isArray(page['matches']) ? page['matches'].filter(isJsonObject) : [];
        expect(pathsOf({ matches: matches.filter(({ context }) => context !== true) })).toEqual(first.slice(0, 5));
      }
      expect(page).toMatchObject({ truncated: true, total_is_lower_bound: true });
      expect(page['total_count']).toBeLessThanOrEqual(8);
    });

    test('a page too far behind the first is refused', async () => {
      const far = { pattern: 'item', context: 20, offset: 1_000 };
      expect(await search(far)).toMatchObject({ error_kind: 'invalid_args', error: expect.stringContaining('offset') });
      expect(await search({ ...far, context: 0 })).toMatchObject({ total_count: 30, matches: [] });
      expect(await search({ ...far, output_mode: 'count' })).toMatchObject({ total_count: 30 });
      expect(await search({ ...far, offset: 0, limit: 500 })).toMatchObject({ total_count: 30 });
    });

    test('what means nothing behind a backslash stands for itself, brackets in a glob too', async () => {
      await local.sandbox.writeFile('quotes/(a|b)+.txt', "say don't\n");
      await local.sandbox.writeFile('quotes/a.txt', "say don't\n");
      const found = await search({ pattern: "don\\'t", path: 'quotes' });
      // Ripgrep before version 14 says that it does not know this escape.
      if (searchEngine !== 'ripgrep' || found['error'] === undefined) expect(pathsOf(found)).toHaveLength(2);
      const named = await search({ pattern: 'say', path: 'quotes', file_glob: '(a|b)+.txt' });
      expect(pathsOf(named)).toEqual(['quotes/(a|b)+.txt:1']);
    });

    test('a page that ends with the last match is not truncated', async () => {
      expect(await search({ pattern: 'item', limit: 30 })).not.toHaveProperty('truncated');
      expect(await search({ pattern: 'item', limit: 29 })).toMatchObject({ truncated: true });
    });

    test('a pattern that starts with a dash, and an empty result', async () => {
      expect(pathsOf(await search({ pattern: '-dash' }))).toEqual(['src/deep/c.ts:2']);
      expect(await search({ pattern: 'nowhere at all' })).toMatchObject({ total_count: 0, matches: [] });
    });

    test.each([
      ['\\d+ line|item 2\\d', 10],
      ['\\balpha\\b', 8],
      ['(?i)ALPHA', 9],
      ['^\\s*let\\s\\w+', 1],
      ['(?:const|let) ', 3],
      ['[\\w-]+dash', 1],
      ['item [0-9]{2}$', 20],
    ])('understands %p', async (pattern, count) => {
      expect((await search({ pattern, limit: 100 }))['total_count']).toBe(count);
    });

    test('a bad expression is an error with the engine’s message and advice', async () => {
      const outcome = await local.tools.call('search_files', { pattern: 'foo(' });
      expect(outcome).toMatchObject({ isError: true, errorKind: 'invalid_args' });
      const { error, hint } = JSON.parse(outcome.content);
      expect(error.toLowerCase()).toMatch(/unclosed|unmatched|unterminated/);
      expect(hint).toContain('backslash');
    });

    test('a glob narrows by name, or by path where it has a slash', async () => {
      expect(pathsOf(await search({ pattern: 'alpha', file_glob: '*.py' }))).toEqual(['src/b.py:1', 'src/b.py:2']);
      expect(pathsOf(await search({ pattern: 'alpha', file_glob: 'src/**/*.ts' }))).toEqual([
        'src/a.ts:1',
        'src/a.ts:3',
        'src/deep/c.ts:1',
      ]);
    });

    test('context lines come with their matches only', async () => {
      const result = await search({ pattern: 'item 1[0-9]?$', path: 'many.txt', context: 1, limit: 1 });
      expect(result['matches']).toEqual([
        { path: 'many.txt', line: 1, content: 'item 0', context: true },
        { path: 'many.txt', line: 2, content: 'item 1' },
        { path: 'many.txt', line: 3, content: 'item 2', context: true },
      ]);
      expect(result['truncated']).toBe(true);
    });

    test('counts, and only names', async () => {
      expect(await search({ pattern: 'alpha', path: 'src', output_mode: 'count' })).toMatchObject({
        total_count: 5,
        counts: { 'src/a.ts': 2, 'src/b.py': 2, 'src/deep/c.ts': 1 },
      });
      const names = await search({ pattern: 'alpha', path: 'src', output_mode: 'files_only', limit: 2 });
      expect(names).toMatchObject({ total_count: 3, files: ['src/a.ts', 'src/b.py'], truncated: true });
      expect(await search({ pattern: 'alpha', path: 'odd', output_mode: 'count' })).toMatchObject({
        counts: { 'odd/with space.txt': 1, 'odd/x:12:y.txt': 1 },
      });
    });

    test('files by glob, newest first', async () => {
      expect(await search({ target: 'files', pattern: '*.ts' })).toMatchObject({
        files: ['src/deep/c.ts', 'src/a.ts'],
        total_count: 2,
      });
      expect((await search({ target: 'find', pattern: 'src/*.ts' }))['files']).toEqual(['src/a.ts']);
      expect((await search({ target: 'find', pattern: '**/*.py' }))['files']).toEqual(['src/b.py']);
      const paged = await search({ target: 'files', pattern: '*', path: 'src', limit: 1, offset: 1 });
      expect(paged).toMatchObject({ files: ['src/b.py'], truncated: true });
      expect((await search({ target: 'files', pattern: '*x:12*' }))['files']).toEqual(['odd/x:12:y.txt']);
      expect((await search({ target: 'files', pattern: '*secret*' }))['files']).toEqual([]);
    });

    test('a hidden folder is searched where it is named', async () => {
      expect(pathsOf(await search({ pattern: 'hiding', path: '.hidden' }))).toEqual(['.hidden/secret.txt:1']);
      expect((await search({ target: 'files', pattern: '*.txt', path: '.hidden' }))['files']).toEqual([
        '.hidden/secret.txt',
      ]);
    });

    test('an absolute path gives absolute paths', async () => {
      const root = `${local.sandbox.cwd}/src`;
      expect(pathsOf(await search({ pattern: 'print', path: root }))).toEqual([`${root}/b.py:2`]);
    });

    test('a missing path suggests others', async () => {
      const outcome = await local.tools.call('search_files', { pattern: 'x', path: 'srcs' });
      expect(JSON.parse(outcome.content)).toMatchObject({
        error_kind: 'not_found',
        similar_files: [`${local.sandbox.cwd}/src`],
      });
    });

    test('an abort rejects with its reason', async () => {
      const controller = new AbortController();
      const pending = local.tools.call('search_files', { pattern: 'alpha' }, controller.signal);
      controller.abort('stop');
      await expect(pending).rejects.toBe('stop');
    });

    test('braces, leading !, and absolute globs mean the same everywhere', async () => {
      await local.sandbox.writeFile('globs/!a.txt', 'alpha\n');
      await local.sandbox.writeFile('globs/b.{x}', 'alpha\n');
      const files = async (args: JsonObject): Promise<unknown> =>
        [...((await search({ path: 'globs', target: 'files', ...args }))['files'] as readonly string[])].sort();
      expect(await files({ pattern: '*.{txt,md}' })).toEqual(['globs/!a.txt']);
      expect(await files({ pattern: '!*' })).toEqual(['globs/!a.txt']);
      expect(await files({ pattern: `${local.sandbox.cwd}/globs/!*` })).toEqual(['globs/!a.txt']);
      const content = { pattern: 'alpha', path: 'globs', output_mode: 'files_only' };
      expect(await search({ ...content, file_glob: '*.{txt,md}' })).toMatchObject({ files: ['globs/!a.txt'] });
      expect(await search({ ...content, file_glob: '!*.md' })).toMatchObject({ files: [] });
    });

    test.each(['alpha\nbeta', 'a\0b'])('the pattern %j is refused, and not read in three ways', async (pattern) => {
      expect((await local.tools.call('search_files', { pattern })).errorKind).toBe('invalid_args');
    });

    test('classes of Unicode find letters, or are refused', async () => {
      const result = await search({ pattern: 'al\\p{L}ha', path: 'src/a.ts' });
      if (searchEngine === 'grep') expect(result['error']).toContain('does not know');
      else expect(result).toMatchObject({ total_count: 2 });
    });

    test('a pipe is not waited for', async () => {
      await local.sandbox.run('mkfifo pipe');
      expect((await local.tools.call('search_files', { pattern: 'x', path: 'pipe' })).errorKind).toBe('permission');
      await local.sandbox.remove('pipe');
    });

    test('the third same search in a row warns', async () => {
      await local.tools.call('todo', {});
      await search({ pattern: 'beta' });
      await search({ pattern: 'beta' });
      expect(await search({ pattern: 'beta' })).toHaveProperty('_warning');
      expect(await search({ pattern: 'beta', limit: 9 })).not.toHaveProperty('_warning');
    });
  },
);

describe('the engine is chosen by what the sandbox has', () => {
  test.each([
    [[], hasRipgrep ? undefined : 'grep'],
    [['rg'], 'grep'],
    [['rg', 'grep'], 'builtin'],
    [['rg', 'find'], 'builtin'],
  ])('without %p', async (hiddenPrograms, engine) => {
    await using local = await openLocalTools({ hiddenPrograms });
    await local.sandbox.writeFile('a.txt', 'needle\n');
    const result = await local.tools.callJson('search_files', { pattern: 'needle' });
    expect(result).toMatchObject({ total_count: 1 });
    expect(result['engine']).toBe(engine);
  });
});

test('a pattern that would never end is stopped, not the program', async () => {
  await using local = await openLocalTools({ settings: { searchEngine: 'builtin' } });
  await local.sandbox.writeFile('a.txt', `${'a'.repeat(5_000)}!\n`);
  const outcome = await local.tools.call('search_files', { pattern: '(a+)+$' });
  expect(JSON.parse(outcome.content)['error']).toContain('takes too long');
});
