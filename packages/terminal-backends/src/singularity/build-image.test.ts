import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createMemoryLogger } from '@talaria/core/testing';
import { buildImage } from './build-image.ts';
import { createSingularitySetup } from './create-setup.ts';

/** Stands in for Apptainer: it tells what it does, and makes a file. */
const program = '#!/bin/sh\necho unpacking\necho packing >&2\necho image > "$2"\n';

test('a listener that fails does not end the build that it listens to', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-build-'));
  const path = join(folder, 'apptainer');
  await writeFile(path, program);
  await chmod(path, 0o755);
  const logger = createMemoryLogger();
  const setup = createSingularitySetup({
    stateFolder: folder,
    cacheFolder: folder,
    environment: { PATH: process.env['PATH'] },
    program: path,
    logger,
    onProgress: () => {
      throw new Error('deaf');
    },
  });
  const target = join(folder, 'made.sif');
  const build = { image: 'made', reference: 'docker://made', target, timeoutMs: 30_000 };
  await buildImage(build, setup, new AbortController().signal);
  expect(await readFile(target, 'utf8')).toBe('image\n');
  const heard = logger.entries.filter(({ event }) => event === 'sandbox.listener-failed');
  expect(heard.map(({ fields }) => fields)).toEqual([{ message: 'deaf' }, { message: 'deaf' }]);
  await rm(folder, { recursive: true });
});
