import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { openTemporaryFolder } from '../test/temporary-folder.ts';
import { createItemKeys, openLineWriter, openUniqueFile, writeAtomic } from './index.ts';

describe('writeAtomic', () => {
  test('writes text that comes in pieces, and replaces the old file', async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'page.html');
    async function* pieces(): AsyncGenerator<string> {
      for (let index = 0; index < 50_000; index += 1) yield `piece ${index} ä\n`;
    }
    await writeAtomic(path, 'old');
    await writeAtomic(path, pieces());
    expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(50_001);
    expect(await readdir(temporary.path)).toEqual(['page.html']);
  });

  test('keeps the old file where the text fails or the signal aborts in between', async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'page.html');
    await writeAtomic(path, 'old');
    const failure = new Error('no more');
    function* failing(): Generator<string> {
      yield 'half';
      throw failure;
    }
    await expect(writeAtomic(path, failing())).rejects.toBe(failure);
    const controller = new AbortController();
    function* aborting(): Generator<string> {
      yield 'half';
      controller.abort(failure);
      yield 'more';
    }
    await expect(writeAtomic(path, aborting(), { signal: controller.signal })).rejects.toBe(failure);
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await readdir(temporary.path)).toEqual(['page.html']);
  });

  test('says that the folder is missing', async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'missing', 'page.html');
    await expect(writeAtomic(path, 'x')).rejects.toMatchObject({ code: 'state.missing' });
  });
});

describe('openUniqueFile', () => {
  test('never gives an existing file: the stem gets the first free number', async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'made', 'rows.jsonl');
    const files = await Promise.all(Array.from({ length: 5 }, () => openUniqueFile(path)));
    for (const { handle } of files) await handle.close();
    expect(files.map((file) => file.path.slice(temporary.path.length)).sort()).toEqual([
      '/made/rows.jsonl',
      '/made/rows_1.jsonl',
      '/made/rows_2.jsonl',
      '/made/rows_3.jsonl',
      '/made/rows_4.jsonl',
    ]);
  });
});

describe('openLineWriter', () => {
  test('writes one object per line in the order of the calls', async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'rows.jsonl');
    {
      await using writer = await openLineWriter(path, { syncEvery: 7 });
      await Promise.all(Array.from({ length: 100 }, (_, index) => writer.append({ index })));
    }
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { index: number }).index)).toEqual(
      Array.from({ length: 100 }, (_, index) => index),
    );
  });

  test('does not touch a file that exists, unless it resumes it', async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'rows.jsonl');
    await writeFile(path, '{"index":0}\n');
    {
      await using writer = await openLineWriter(path);
      expect(writer.path).toBe(join(temporary.path, 'rows_1.jsonl'));
      await using resumed = await openLineWriter(path, { resume: true });
      await resumed.append({ index: 1 });
    }
    expect(await readFile(path, 'utf8')).toBe('{"index":0}\n{"index":1}\n');
  });

  test.each([
    ['a torn last line', '{"index":0}\n{"ind', '{"index":0}\n'],
    ['a torn line longer than a block', `{"index":0}\n{"pad":"${'x'.repeat(200_000)}`, '{"index":0}\n'],
    ['nothing but a torn line', 'x'.repeat(100_000), ''],
    ['no torn line', '{"index":0}\n', '{"index":0}\n'],
    ['an empty file', '', ''],
  ])('resumes behind the last whole line: %s', async (_name, before, kept) => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'rows.jsonl');
    await writeFile(path, before);
    {
      await using writer = await openLineWriter(path, { resume: true });
      await writer.append({ last: true });
    }
    expect(await readFile(path, 'utf8')).toBe(`${kept}{"last":true}\n`);
  });

  test('makes the file where there is none to resume, and refuses lines after it was closed', async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'deep', 'rows.jsonl');
    const writer = await openLineWriter(path, { resume: true });
    await writer[Symbol.asyncDispose]();
    await writer[Symbol.asyncDispose]();
    await expect(writer.append({})).rejects.toMatchObject({ code: 'state.closed' });
    expect(await readFile(path, 'utf8')).toBe('');
  });
});

describe('createItemKeys', () => {
  test('equal items have one hash and count up, wherever they stand', () => {
    const keys = createItemKeys();
    const first = keys.next({ a: 1, b: 2 });
    const other = keys.next({ a: 2 });
    const again = keys.next({ b: 2, a: 1 });
    expect(first).toMatch(/^[0-9a-f]{64}:0$/);
    expect(other).not.toBe(first);
    expect(again).toBe(first.replace(/0$/, '1'));
    const reordered = createItemKeys();
    expect(new Set([reordered.next({ a: 2 }), reordered.next({ a: 1, b: 2 }), reordered.next({ a: 1, b: 2 })])).toEqual(
      new Set([first, other, again]),
    );
  });
});
