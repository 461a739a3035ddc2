import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { silentLogger } from '@talaria/core';
import { resolveToolsConfig, type WebConfig } from '@talaria/environments';
import { createFakeHost } from '../../test/fake-host.ts';
import { openWebAccess, type WebAccess } from './open-web-access.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-web-access-'));
  await writeFile(join(folder, 'corpus.json'), '{"pages": []}');
});

afterAll(() => rm(folder, { recursive: true }));

function open(changes: Partial<WebConfig>, variables: Readonly<Record<string, string>> = {}): Promise<WebAccess> {
  const { web } = resolveToolsConfig({ variables: {} }).config;
  const host = createFakeHost({ cwd: folder, variables });
  return openWebAccess(
    host,
    { web: { ...web, fixture: 'corpus.json', ...changes } },
    { secrets: [], logger: silentLogger },
  );
}

/** Counts the corpora that are opened and closed while it lives. */
function countClosed() {
  const spy = jest.spyOn(DatabaseSync.prototype, 'close');
  return {
    get count() {
      return spy.mock.calls.length;
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}

describe('the providers of searches and of pages', () => {
  test('are opened without the one that neither uses, whatever that lacks', async () => {
    await using access = await open({ backend: 'exa', search_backend: 'fixture', extract_backend: 'fetch' });
    expect(access.source.tools.map(({ checkAvailability }) => checkAvailability?.())).toEqual([
      { isAvailable: true },
      { isAvailable: true },
    ]);
  });

  test('need the one that is left to them', async () => {
    await expect(open({ backend: 'exa', search_backend: 'fixture' })).rejects.toMatchObject({
      code: 'config.missing-key',
    });
  });

  test.each([
    [{ backend: 'fixture' }, 1],
    [{ backend: 'fixture', extract_backend: 'fetch' }, 1],
    [{ backend: 'fixture', search_backend: 'fixture', extract_backend: 'fixture' }, 2],
  ] as const)('are closed with the access: %j', async (changes, corpora) => {
    using closed = countClosed();
    const access = await open(changes);
    await access[Symbol.asyncDispose]();
    await access[Symbol.asyncDispose]();
    expect(closed.count).toBe(corpora);
  });

  test.each([
    ['the second lacks its key', { search_backend: 'fixture', extract_backend: 'exa' }],
    ['answers cannot be recorded', { backend: 'fixture', replay: 'record', replay_dir: 'corpus.json' }],
  ] as const)('are closed where %s', async (_what, changes) => {
    using closed = countClosed();
    await expect(open(changes)).rejects.toThrow();
    expect(closed.count).toBe(1);
  });
});
