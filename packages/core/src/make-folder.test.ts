import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeFolder } from './index.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'talaria-folder-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

describe('makeFolder', () => {
  test('makes a folder and its parents, and says whether anything was made', async () => {
    const path = join(root, 'a/b/c');
    expect(await makeFolder(path, { mode: 0o700 })).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect(await makeFolder(path)).toBe(false);
    expect(await makeFolder('/')).toBe(false);
  });

  test('goes through links to folders', async () => {
    await mkdir(join(root, 'real'));
    await symlink('real', join(root, 'link'));
    expect(await makeFolder(join(root, 'link/inner'))).toBe(true);
    expect((await stat(join(root, 'real/inner'))).isDirectory()).toBe(true);
  });

  test('may be called by many at once', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => makeFolder(join(root, 'x/y/z'))));
    expect(made).toContain(true);
  });

  test('may be called for folders of one parent while another makes that parent', async () => {
    for (let round = 0; round < 20; round += 1) {
      const parent = join(root, `round-${round}/state`);
      const paths = Array.from({ length: 10 }, (_, index) =>
        index % 2 === 0 ? parent : join(parent, `leaf-${index}`),
      );
      await Promise.all(paths.map((path) => makeFolder(path)));
      for (const path of paths) expect((await stat(path)).isDirectory()).toBe(true);
    }
  });

  test.each([
    ['a file', 'file', 'EEXIST'],
    ['below a file', 'file/inner', 'ENOTDIR'],
    ['below a link that leads nowhere', 'nowhere/inner', 'EEXIST'],
  ])('rejects with the error of the system: %s', async (_what, path, code) => {
    await writeFile(join(root, 'file'), '');
    await symlink('missing', join(root, 'nowhere'));
    await expect(makeFolder(join(root, path))).rejects.toMatchObject({ code });
  });

  (process.platform === 'linux' ? test : test.skip)('ends where a folder takes no folders', async () => {
    await expect(makeFolder('/proc/talaria/runs')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
