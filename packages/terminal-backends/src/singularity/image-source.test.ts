import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findImageSource } from './image-source.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-source-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function fileNameOf(image: string): Promise<string> {
  const source = await findImageSource(image);
  return source.kind === 'build' ? source.fileName : '';
}

describe('findImageSource', () => {
  test.each([
    ['debian:12', 'docker://debian:12'],
    ['ghcr.io/some/one@sha256:ab', 'docker://ghcr.io/some/one@sha256:ab'],
    ['docker://debian:12', 'docker://debian:12'],
    ['docker-daemon:mine:1', 'docker-daemon:mine:1'],
    ['oras://registry/one:1', 'oras://registry/one:1'],
  ])('takes %s for %s', async (image, reference) => {
    expect(await findImageSource(image)).toMatchObject({ kind: 'build', reference });
  });

  test('tells images apart whose names only look the same', async () => {
    const names = await Promise.all(['a/b:c', 'a-b-c', 'a-b:c', 'oras://a-b:c'].map(fileNameOf));
    expect(new Set(names).size).toBe(4);
    expect(await fileNameOf('debian:12')).toBe(await fileNameOf('docker://debian:12'));
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9.-]+\.sif$/);
  });

  test('takes folders and files as they are, but builds definitions', async () => {
    const image = join(folder, 'one.sif');
    await writeFile(image, '');
    expect(await findImageSource(image)).toEqual({ kind: 'ready', path: image });
    expect(await findImageSource(folder)).toEqual({ kind: 'ready', path: folder });
    const definition = join(folder, 'one.def');
    await writeFile(definition, 'Bootstrap: scratch\n');
    expect(await findImageSource(definition)).toMatchObject({ kind: 'build', reference: definition });
  });

  test.each(['one.def', 'docker-archive:one.tar'])('takes %s for another image once it has changed', async (name) => {
    const path = join(folder, name.replace(/.*:/, ''));
    const image = name.includes(':') ? `docker-archive:${path}` : path;
    await writeFile(path, 'one');
    const before = await fileNameOf(image);
    await utimes(path, 1, 1);
    expect(await fileNameOf(image)).not.toBe(before);
  });

  test.each(['/no/such.sif', 'docker-archive:/no/such.tar'])('says that %s is not there', async (image) => {
    await expect(findImageSource(image)).rejects.toMatchObject({ code: 'config.missing-image' });
  });

  test.each(['./one', '../one.sif', 'one.sif', 'one.def'])('refuses the relative path %s', async (image) => {
    await expect(findImageSource(image)).rejects.toMatchObject({ code: 'config.invalid' });
  });
});
