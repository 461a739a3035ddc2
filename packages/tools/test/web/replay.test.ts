import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import {
  createReplayProvider,
  createUrlPolicy,
  createWebProvider,
  createWebTools,
  type ExtractedPage,
  openReplayStore,
  type ReplayMode,
  type ReplayStore,
  WebError,
  type WebProvider,
} from '../../src/web/index.ts';

let folder: string;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'talaria-replay-')), 'answers');
});

afterEach(async () => {
  await rm(join(folder, '..'), { recursive: true });
});

function open(mode: ReplayMode): Promise<ReplayStore> {
  return openReplayStore({ mode, folder, clock: createManualClock() });
}

/** A provider whose answers tell how often it was asked. */
function createCountingProvider(): WebProvider & { asked: number } {
  const provider = {
    name: 'counting',
    asked: 0,
    async search(query: string) {
      provider.asked += 1;
      return [{ title: `${query} ${provider.asked}`, url: 'https://example.com/', description: 'ü' }];
    },
    async extract(url: string): Promise<ExtractedPage> {
      provider.asked += 1;
      if (url.endsWith('/gone'))
        throw new WebError('not_found', 'It is gone.', { status: 404, contentType: 'text/html' });
      if (url.endsWith('/busy')) throw new WebError('network', 'Busy.', { status: 503, retryable: true });
      const content = `${'x'.repeat(300_000)} ${provider.asked}`;
      return { url, title: '', content, status: 200, contentType: null, isIncomplete: false };
    },
  };
  return provider;
}

test('what was recorded is replayed, without asking anybody', async () => {
  const provider = createCountingProvider();
  {
    await using store = await open('record');
    const recording = createReplayProvider(provider, store);
    expect(await recording.search?.('robins', { limit: 5 })).toMatchObject([{ title: 'robins 1' }]);
    expect(await recording.search?.('robins', { limit: 5 })).toMatchObject([{ title: 'robins 1' }]);
    expect(await recording.search?.('robins', { limit: 6 })).toMatchObject([{ title: 'robins 2' }]);
    expect((await recording.extract?.('https://example.com/'))?.content).toMatch(/x 3$/);
    await expect(recording.extract?.('https://example.com/gone')).rejects.toMatchObject({ kind: 'not_found' });
    await expect(recording.extract?.('https://example.com/busy')).rejects.toMatchObject({ kind: 'network' });
  }
  await using store = await open('replay');
  const replaying = createReplayProvider({ name: 'counting' }, store);
  expect(await replaying.search?.('robins', { limit: 6 })).toEqual([
    { title: 'robins 2', url: 'https://example.com/', description: 'ü' },
  ]);
  expect(await replaying.extract?.('https://example.com/')).toEqual({
    url: 'https://example.com/',
    title: '',
    content: `${'x'.repeat(300_000)} 3`,
    status: 200,
    contentType: null,
    isIncomplete: false,
  });
  await expect(replaying.extract?.('https://example.com/gone')).rejects.toMatchObject({
    kind: 'not_found',
    message: 'It is gone.',
    status: 404,
    contentType: 'text/html',
  });
  expect(provider.asked).toBe(5);
});

test('what was not recorded, and what might pass, is a failure of the network in a replay', async () => {
  {
    await using store = await open('record');
    const recording = createReplayProvider(createCountingProvider(), store);
    await recording.search?.('robins', { limit: 5 });
    await expect(recording.extract?.('https://example.com/busy')).rejects.toThrow('Busy.');
  }
  await using store = await open('replay');
  const replaying = createReplayProvider({ name: 'counting' }, store);
  await expect(replaying.search?.('wrens', { limit: 5 })).rejects.toMatchObject({ kind: 'network' });
  await expect(replaying.extract?.('https://example.com/busy')).rejects.toMatchObject({ kind: 'network' });
  const other = createReplayProvider({ name: 'other' }, store);
  await expect(other.search?.('robins', { limit: 5 })).rejects.toThrow(/No answer is recorded for this search/);
});

test('a provider that lacks a method lacks it while recording, and has it in a replay', async () => {
  await using recording = await open('record');
  expect(createReplayProvider({ name: 'x' }, recording).search).toBeUndefined();
  await using replaying = await open('replay');
  expect(createReplayProvider({ name: 'x' }, replaying).search).toBeDefined();
});

test.each([
  ['fetch', ['web_extract']],
  ['exa', ['web_extract', 'web_search']],
  ['searxng', ['web_extract', 'web_search']],
] as const)('a replay of %s offers what its recording offered', async (backend, expected) => {
  const policy = createUrlPolicy();
  const variables: Readonly<Record<string, string>> = { EXA_API_KEY: 'key', SEARXNG_URL: 'http://localhost:1' };
  for (const mode of ['record', 'replay'] as const) {
    await using store = await open(mode);
    const provider = await createWebProvider(
      { backend, isReplayed: mode === 'replay' },
      { policy, getVariable: (name) => variables[name] },
    );
    const tools = createWebTools({ policy, provider, replay: store });
    const offered = tools.filter(({ checkAvailability }) => checkAvailability?.().isAvailable === true);
    expect([mode, ...offered.map(({ definition }) => definition.function.name).sort()]).toEqual([mode, ...expected]);
    await provider?.[Symbol.asyncDispose]?.();
  }
});

test('many rollouts record at once, and all of one process get the same answer', async () => {
  const provider = createCountingProvider();
  {
    await using store = await open('record');
    const recording = createReplayProvider(provider, store);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => recording.search?.(`query ${index % 20}`, { limit: 5 })),
    );
    const titles = new Set(answers.map((hits) => hits?.[0]?.title));
    expect(titles.size).toBe(20);
  }
  const [name = ''] = await readdir(folder);
  const lines = (await readFile(join(folder, name), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).request.query).sort()).toEqual(
    Array.from({ length: 20 }, (_, index) => `query ${index}`).sort(),
  );
});

test('several stores record into one folder, each into a file of its own', async () => {
  {
    await using first = await open('record');
    await using second = await open('record');
    await createReplayProvider(createCountingProvider(), first).search?.('a', { limit: 1 });
    await createReplayProvider(createCountingProvider(), second).search?.('b', { limit: 1 });
  }
  expect((await readdir(folder)).length).toBe(2);
  await using store = await open('replay');
  const replaying = createReplayProvider({ name: 'counting' }, store);
  expect(await replaying.search?.('a', { limit: 1 })).toMatchObject([{ title: 'a 1' }]);
  expect(await replaying.search?.('b', { limit: 1 })).toMatchObject([{ title: 'b 1' }]);
});

test('a line that was cut at any byte, when its writer was killed, is passed over', async () => {
  {
    await using store = await open('record');
    const recording = createReplayProvider(createCountingProvider(), store);
    await recording.search?.('whole', { limit: 1 });
    await recording.search?.('cut', { limit: 1 });
  }
  const [name = ''] = await readdir(folder);
  const path = join(folder, name);
  const bytes = await readFile(path);
  const secondLine = bytes.indexOf(10) + 1;
  for (let end = secondLine; end < bytes.length; end += 1) {
    await writeFile(path, bytes.subarray(0, end));
    await using store = await open('replay');
    const replaying = createReplayProvider({ name: 'counting' }, store);
    expect(await replaying.search?.('whole', { limit: 1 })).toMatchObject([{ title: 'whole 1' }]);
    await expect(replaying.search?.('cut', { limit: 1 })).rejects.toMatchObject({ kind: 'network' });
  }
});

test('processes that record at once and are killed lose nothing that they told of', async () => {
  const program = fileURLToPath(new URL('./record-forever.ts', import.meta.url));
  const names = ['first', 'second'];
  const told = await Promise.all(
    names.map(async (name) => {
      const child = spawn(process.execPath, ['--conditions=@talaria/source', program, folder, name], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {},
      });
      const closed = once(child, 'close');
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.split('\n').length > 50) child.kill('SIGKILL');
      });
      await closed;
      return output.split('\n').length - 1;
    }),
  );
  await using store = await open('replay');
  for (const [place, name] of names.entries()) {
    const replaying = createReplayProvider({ name }, store);
    const count = told[place] ?? 0;
    expect(count).toBeGreaterThanOrEqual(50);
    for (let index = 0; index < count; index += 1) {
      expect(await replaying.search?.(String(index), { limit: 1 })).toMatchObject([{ title: `${name} ${index}` }]);
    }
  }
});

describe('a folder', () => {
  test('with damaged lines, lines of newer versions and other files is read all the same', async () => {
    {
      await using store = await open('record');
      await createReplayProvider(createCountingProvider(), store).search?.('a', { limit: 1 });
    }
    const [name = ''] = await readdir(folder);
    const line = await readFile(join(folder, name), 'utf8');
    const key = /[0-9a-f]{64}/.exec(line)?.[0];
    await rm(join(folder, name));
    await writeFile(join(folder, 'notes.txt'), 'hello');
    await writeFile(join(folder, '0.jsonl'), `\n\0\xff garbage\n{}\n${line.replace('"version":1', '"version":2')}`);
    await appendFile(join(folder, '1.jsonl'), line);
    {
      await using store = await open('replay');
      const hits = await createReplayProvider({ name: 'counting' }, store).search?.('a', { limit: 1 });
      expect(hits).toMatchObject([{ title: 'a 1' }]);
    }
    await writeFile(join(folder, '0.jsonl'), `{"key":"${key}","version":1,"outcome":{"hits":"none"}}\n`);
    await using store = await open('replay');
    const damaged = createReplayProvider({ name: 'counting' }, store);
    await expect(damaged.search?.('a', { limit: 1 })).rejects.toMatchObject({ kind: 'network' });
  });

  test('that is missing has nothing to replay', async () => {
    await expect(open('replay')).rejects.toMatchObject({ code: 'state.not-found' });
  });

  test('that cannot be made cannot be recorded to', async () => {
    await writeFile(folder, 'a file');
    await expect(open('record')).rejects.toMatchObject({ code: 'state.not-writable' });
    await expect(openReplayStore({ mode: 'record', folder: 'relative' })).rejects.toMatchObject({
      code: 'config.invalid',
    });
  });
});

test('an aborted signal rejects with its reason before anything is asked', async () => {
  const provider = createCountingProvider();
  await using store = await open('record');
  const recording = createReplayProvider(provider, store);
  const reason = new Error('stop');
  const signal = AbortSignal.abort(reason);
  await expect(recording.search?.('a', { limit: 1, signal })).rejects.toBe(reason);
  await expect(recording.extract?.('https://example.com/', { signal })).rejects.toBe(reason);
  expect(provider.asked).toBe(0);
});
