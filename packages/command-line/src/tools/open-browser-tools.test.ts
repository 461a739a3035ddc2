import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { silentLogger } from '@talaria/core';
import { type BrowserConfig, resolveToolsConfig } from '@talaria/environments';
import { createUrlPolicy } from '@talaria/tools/web';
import { createFakeHost } from '../../test/fake-host.ts';
import { openBrowserTools } from './open-browser-tools.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-browser-tools-'));
  await writeFile(join(folder, 'pages.json'), '{"https://a.test/": "<title>A</title>"}');
  await writeFile(join(folder, 'broken.json'), '[]');
});

afterAll(() => rm(folder, { recursive: true }));

function open(changes: Partial<BrowserConfig>) {
  const { browser, tools } = resolveToolsConfig({ variables: {} }).config;
  const host = createFakeHost({ cwd: folder });
  const config = { browser: { ...browser, ...changes }, tools };
  return openBrowserTools(host, config, { secrets: [], logger: silentLogger, policy: createUrlPolicy() });
}

describe('the driver of stored pages', () => {
  test('is offered where its file holds pages', async () => {
    await using source = await open({ driver: 'fixture', fixture: 'pages.json' });
    expect(source.configuredTools).toContain('browser_navigate');
    expect(source.configuredTools).not.toContain('browser_vision');
    const navigate = source.tools.find(({ definition }) => definition.function.name === 'browser_navigate');
    expect(navigate?.checkAvailability?.()).toEqual({ isAvailable: true });
  });

  test.each([
    [null, 'config.missing-file'],
    ['missing.json', 'config.invalid'],
    ['broken.json', 'config.invalid'],
  ])('with the file %s is refused before anything runs', async (fixture, code) => {
    await expect(open({ driver: 'fixture', fixture })).rejects.toMatchObject({ name: 'ConfigError', code });
  });
});
