import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createMemoryLogger } from '@talaria/core/testing';
import { createLocalBackend } from '../src/local/index.ts';

let stateFolder: string;

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'talaria-isolation-'));
});

afterAll(async () => {
  await rm(stateFolder, { recursive: true });
});

test('the local backend says once, before anything runs, that it isolates nothing', async () => {
  const logger = createMemoryLogger();
  const backend = createLocalBackend({ stateFolder, environment: process.env, logger });
  expect(backend.capabilities.isolation).toBe('none');
  for (const taskId of ['first', 'second']) {
    await using sandbox = await backend.open({ taskId });
    await sandbox.run('true');
  }
  const told = logger.entries.filter(({ event }) => event === 'sandbox.not-isolated');
  expect(told).toHaveLength(1);
  expect(logger.entries[0]).toBe(told[0]);
  expect(told[0]?.fields).toMatchObject({ backend: 'local', hint: expect.stringContaining('as the user') });
});

test('the documents say so too', async () => {
  const read = async (document: string) =>
    (await readFile(join(import.meta.dirname, document), 'utf8')).replace(/\s+/g, ' ');
  expect(await read('../README.md')).toContain('The `local` backend isolates nothing');
  expect(await read('../../../docs/backends.md')).toMatch(
    /## What `local` does .*\| isolation \| \*\*none\*\*: commands run as you/,
  );
});

test('a variable that only looks like a part of a locale stays on the host', async () => {
  const environment = {
    PATH: process.env['PATH'],
    LC_TIME: 'C',
    LC_SERVICE_TOKEN: 'very-secret',
    LC_ANYTHING: 'other',
  };
  await using sandbox = await createLocalBackend({ stateFolder, environment }).open({ taskId: 'locale' });
  const { output } = await sandbox.run('env');
  expect(output).toContain('LC_TIME=C');
  expect(output).not.toMatch(/very-secret|LC_ANYTHING/);
});
