import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isTalariaError } from '@talaria/core';
import type { Environment } from '@talaria/environments';
import { createFakeHost } from '../test/fake-host.ts';
import { loadEnvironment } from './load-environment.ts';

const sample: Environment = {
  name: 'sample',
  getNextItem: async () => null,
  formatPrompt: () => '',
  computeReward: async () => 0,
};

class SampleEnvironment {
  readonly name: string = 'from-class';
  readonly getNextItem = sample.getNextItem;
  readonly formatPrompt = sample.formatPrompt;
  readonly computeReward = sample.computeReward;
}

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-load-'));
  file = join(folder, 'mine.ts');
  await writeFile(file, '');
});

afterAll(() => rm(folder, { recursive: true }));

/** Loads `./mine.ts` as if its module were this. */
function loadModule(loaded: unknown): Promise<Environment> {
  const host = createFakeHost({ cwd: folder, modules: { [pathToFileURL(file).href]: loaded } });
  return loadEnvironment(host, './mine.ts', {});
}

function rejectsWith(promise: Promise<unknown>, code: string, ...texts: readonly RegExp[]): Promise<void> {
  return assert.rejects(promise, (error) => {
    assert.ok(isTalariaError(error));
    expect(error.code).toBe(code);
    for (const text of texts) expect(`${error.message}\n${error.hint}`).toMatch(text);
    return true;
  });
}

describe('what a module may export', () => {
  test.each<[string, unknown, string]>([
    ['an object as the default', { default: sample }, 'sample'],
    ['an object named environment', { environment: sample }, 'sample'],
    ['a class', { default: SampleEnvironment }, 'from-class'],
    ['a function', { environment: () => sample }, 'sample'],
    ['an async function', { default: async () => sample }, 'sample'],
    ['a CommonJS module', { default: { environment: sample } }, 'sample'],
  ])('%s', async (_title, loaded, name) => {
    expect((await loadModule(loaded)).name).toBe(name);
  });

  test.each<[string, unknown, RegExp]>([
    [
      'no methods',
      { default: { name: 'x' } },
      /no method getNextItem; it has no method formatPrompt; it has no method computeReward/,
    ],
    ['no name', { default: { ...sample, name: undefined } }, /it has no name/],
    ['a bad name', { default: { ...sample, name: '../up' } }, /other characters/],
  ])('is refused where it is %s', async (_title, loaded, text) => {
    await rejectsWith(loadModule(loaded), 'task.bad-environment', text);
  });

  test.each<[string, unknown, RegExp]>([
    ['a number', { default: 3 }, /exports a number in place of an environment/],
    ['null', { environment: null }, /exports null in place of an environment/],
    ['a factory of nothing', { default: () => undefined }, /exports undefined in place of an environment/],
  ])('is refused, by the name of the file, where it is %s', async (_title, loaded, text) => {
    await rejectsWith(loadModule(loaded), 'config.no-environment', text);
  });

  test('is refused where it is nothing', async () => {
    await rejectsWith(loadModule({ other: sample }), 'config.no-environment', /exports no environment/);
  });

  test('a factory that fails is told as the author’s', async () => {
    const failing = (): never => {
      throw new Error('no data set');
    };
    await rejectsWith(loadModule({ default: failing }), 'task.environment-failed', /no data set/);
  });
});

describe('where it may come from', () => {
  test('a built-in name wins, and nothing else is loaded', async () => {
    const loaded = await loadEnvironment(createFakeHost(), 'sample', { sample: async () => sample });
    expect(loaded).toBe(sample);
  });

  test('an installed package', async () => {
    const host = createFakeHost({ modules: { 'my-environments': { environment: sample } } });
    expect(await loadEnvironment(host, 'my-environments', {})).toBe(sample);
  });

  test('an unknown name says which one is near', async () => {
    const builtins = { 'terminal-test': async () => sample };
    await rejectsWith(
      loadEnvironment(createFakeHost(), 'terminal-tset', builtins),
      'config.unknown-environment',
      /Did you mean terminal-test\?/,
    );
    await rejectsWith(
      loadEnvironment(createFakeHost(), 'chess', builtins),
      'config.unknown-environment',
      /Built in: terminal-test.*\.\/my-env\.ts/,
    );
    await rejectsWith(loadEnvironment(createFakeHost(), 'toString', builtins), 'config.unknown-environment');
  });

  test('a missing file, and a folder', async () => {
    const host = createFakeHost({ cwd: folder });
    await rejectsWith(loadEnvironment(host, './other.ts', {}), 'config.missing-file', /other\.ts/, /relative/);
    await rejectsWith(loadEnvironment(host, './', {}), 'config.missing-file', /is not a file/);
  });

  test('a file that fails, or imports what is not installed', async () => {
    await rejectsWith(loadModule(new Error('boom')), 'task.environment-not-loaded', /boom/, /--verbose/);
    const missing = Object.assign(new Error("Cannot find package 'left-pad'"), { code: 'ERR_MODULE_NOT_FOUND' });
    await rejectsWith(loadModule(missing), 'task.environment-not-loaded', /left-pad/, /Install what it imports/);
  });
});
