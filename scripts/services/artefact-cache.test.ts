import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { cacheFolder, openArtefactCache } from './artefact-cache.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-cache-'));
});

afterEach(() => rm(folder, { recursive: true }));

test.each([
  [{ TALARIA_SERVICES_CACHE: '/own', XDG_CACHE_HOME: '/caches' }, /^\/own$/],
  [{ TALARIA_SERVICES_CACHE: '', XDG_CACHE_HOME: '/caches' }, /^\/caches\/talaria-services$/],
  [{ XDG_CACHE_HOME: '' }, /\/\.cache\/talaria-services$/],
])('under %j the cache is where that says', (environment, expected) => {
  expect(cacheFolder(environment)).toMatch(expected);
});

test('what was made once is not made again, in this process or the next', async () => {
  const first = await openArtefactCache(folder);
  const path = await first.make('a.tar', (part) => writeFile(part, 'whole'));
  const second = await openArtefactCache(folder);
  for (const cache of [first, second]) {
    expect(await cache.make('a.tar', () => Promise.reject(new Error('made twice')))).toBe(path);
  }
  expect(await readFile(path, 'utf8')).toBe('whole');
});

test('two at once share the work', async () => {
  const cache = await openArtefactCache(folder);
  let count = 0;
  const build = async (part: string): Promise<void> => {
    count += 1;
    await writeFile(part, 'whole');
  };
  const [left, right] = await Promise.all([cache.make('a', build), cache.make('a', build)]);
  expect([left, count]).toEqual([right, 1]);
});

test('what failed leaves nothing', async () => {
  const cache = await openArtefactCache(folder);
  const fault = new Error('no network');
  const made = cache.make('root', async (part) => {
    await mkdir(join(part, 'etc'), { recursive: true });
    throw fault;
  });
  await expect(made).rejects.toBe(fault);
  expect(await readdir(folder)).toEqual([]);
});

test('a folder that another process made meanwhile is taken, and the own one thrown away', async () => {
  const cache = await openArtefactCache(folder);
  const path = await cache.make('root', async (part) => {
    await mkdir(join(folder, 'root/theirs'), { recursive: true });
    await mkdir(join(part, 'ours'), { recursive: true });
  });
  expect(await readdir(path)).toEqual(['theirs']);
  expect(await readdir(folder)).toEqual(['root']);
});

test('parts of processes that are gone are removed, those of running ones stay', async () => {
  const gone = spawnSync(process.execPath, ['--version']).pid;
  await mkdir(join(folder, `root.${gone}.part/etc`), { recursive: true });
  await writeFile(join(folder, `a.tar.${process.pid}.part`), '');
  await openArtefactCache(folder);
  expect(await readdir(folder)).toEqual([`a.tar.${process.pid}.part`]);
});

test('a folder that cannot be is told of, with the variable that names another', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(openArtefactCache(join(folder, 'file/cache'))).rejects.toMatchObject({
    name: 'StepError',
    hint: 'Name another by the variable TALARIA_SERVICES_CACHE.',
  });
});
