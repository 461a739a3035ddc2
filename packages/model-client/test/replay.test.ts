import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ModelError, Secret } from '@talaria/core';
import { createMemoryLogger } from '@talaria/core/testing';
import fc from 'fast-check';
import type { ChatRequest } from '../src/index.ts';
import { openReplayModel, recordModel } from '../src/replay/index.ts';
import { type ScriptedTurn, scriptedModel } from '../src/testing/index.ts';

let folder = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-replay-'));
  path = join(folder, 'exchanges.jsonl');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function ask(text: string): ChatRequest {
  return { messages: [{ role: 'user', content: text }], temperature: 1 };
}

async function record(turns: readonly ScriptedTurn[], texts: readonly string[]): Promise<void> {
  await using model = await recordModel(scriptedModel(turns, { name: 'recorded' }), path);
  for (const text of texts) await model.complete(ask(text)).catch(() => undefined);
}

describe('a recording', () => {
  test('answers equal requests in the order of their answers', async () => {
    await record([{ content: 'one' }, { content: 'two' }, { content: 'other' }], ['a', 'a', 'b']);
    await using model = await openReplayModel(path);
    expect(model.name).toBe('recorded');
    expect((await model.complete(ask('b'))).message.content).toBe('other');
    expect((await model.complete(ask('a'))).message.content).toBe('one');
    expect((await model.complete(ask('a'))).message.content).toBe('two');
  });

  test('does not mind the order of keys and fields that are undefined', async () => {
    await record([{ content: 'one' }], ['a']);
    await using model = await openReplayModel(path);
    const request: ChatRequest = { temperature: 1, tools: undefined, messages: [{ content: 'a', role: 'user' }] };
    expect((await model.complete(request)).message.content).toBe('one');
  });

  test('keeps the whole completion', async () => {
    const turns = [{ content: 'x', reasoning: 'r', toolCalls: [{ name: 'look', arguments: '{"a":' }] }];
    await using recording = await recordModel(scriptedModel(turns), path);
    const original = await recording.complete(ask('a'));
    await using model = await openReplayModel(path);
    expect(await model.complete(ask('a'))).toEqual(original);
  });

  test('records what was streamed, and nothing of a stream that was left', async () => {
    const turns = [{ content: 'x'.repeat(100) }, { content: 'whole' }];
    await using recording = await recordModel(scriptedModel(turns), path);
    for await (const _event of recording.stream(ask('a'))) break;
    for await (const _event of recording.stream(ask('a')));
    await using model = await openReplayModel(path);
    expect((await model.complete(ask('a'))).message.content).toBe('whole');
    await expect(model.complete(ask('a'))).rejects.toMatchObject({ code: 'state.replay-miss' });
  });

  test("repeats the endpoint's errors, and not those of others", async () => {
    const error = new ModelError('Too much', {
      code: 'model.rate-limited',
      hint: 'Wait.',
      retryable: true,
      status: 429,
      attempts: 5,
      requestId: 'r',
      bodyExcerpt: 'b',
    });
    await record([{ error }, { error: new Error('bug') }, { content: 'then' }], ['a', 'a', 'a']);
    await using model = await openReplayModel(path);
    await expect(model.complete(ask('a'))).rejects.toMatchObject({ ...error, name: 'ModelError', message: 'Too much' });
    expect((await model.complete(ask('a'))).message.content).toBe('then');
  });

  test('tells of a miss what was asked otherwise', async () => {
    await record([{ content: 'one' }], ['a']);
    await using model = await openReplayModel(path);
    await expect(model.complete(ask('b'))).rejects.toMatchObject({
      name: 'StateError',
      code: 'state.replay-miss',
      message: `This request was not recorded; the nearest one differs at messages[0].content (${path})`,
      hint: expect.stringContaining('record it again'),
    });
    await expect(model.complete({ ...ask('a'), temperature: 0 })).rejects.toMatchObject({
      message: expect.stringContaining('differs at temperature'),
    });
    await model.complete(ask('a'));
    await expect(model.complete(ask('a'))).rejects.toMatchObject({
      message: expect.stringContaining('was recorded 1 times, and is asked once more'),
    });
  });

  test('is for the eyes of its owner, and holds no secret', async () => {
    const secret = new Secret('SEARCH_KEY', 'abcdefgh12345678');
    {
      await using model = await recordModel(scriptedModel([{ content: 'key is abcdefgh12345678' }]), path, {
        secrets: [secret],
      });
      await model.complete(ask('use abcdefgh12345678'));
    }
    expect(await readFile(path, 'utf8')).not.toContain('abcdefgh12345678');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await using model = await openReplayModel(path);
    expect((await model.complete(ask('use abcdefgh12345678'))).message.content).toBe('key is [redacted:SEARCH_KEY]');
  });

  test('that was cut anywhere in its last line keeps the others, and can be gone on with', async () => {
    await record([{ content: 'one' }, { content: 'zwei ä' }], ['a', 'b']);
    const bytes = await readFile(path);
    const lastLine = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: lastLine, max: bytes.length - 2 }), async (length) => {
        await writeFile(path, bytes.subarray(0, length));
        const logger = createMemoryLogger();
        await using model = await openReplayModel(path, { logger });
        expect((await model.complete(ask('a'))).message.content).toBe('one');
        await expect(model.complete(ask('b'))).rejects.toMatchObject({ code: 'state.replay-miss' });
        expect(logger.entries.map((entry) => entry.event)).toEqual(length === lastLine ? [] : ['replay.torn-line']);
        await record([{ content: 'again' }], ['b']);
        await using mended = await openReplayModel(path, { logger });
        expect((await mended.complete(ask('b'))).message.content).toBe('again');
      }),
      { numRuns: 30 },
    );
  });

  test('whose last line is longer than a block is cut at the right place', async () => {
    await record([{ content: 'one' }], ['a']);
    await appendFile(path, `{"torn": "${'x'.repeat(200_000)}`);
    await record([{ content: 'two' }], ['b']);
    await using model = await openReplayModel(path);
    expect((await model.complete(ask('a'))).message.content).toBe('one');
    expect((await model.complete(ask('b'))).message.content).toBe('two');
  });

  test('keeps the lines of calls that run at the same time apart', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `question ${index}`);
    {
      await using model = await recordModel(
        scriptedModel((request) => ({ content: `answer to ${JSON.stringify(request.messages)}` })),
        path,
      );
      await Promise.all(texts.map((text) => model.complete(ask(text))));
    }
    await using model = await openReplayModel(path);
    for (const text of texts) expect((await model.complete(ask(text))).message.content).toContain(text);
  });
});

describe('a file that is none', () => {
  test.each([
    ['missing', undefined, 'state.missing', /Cannot read the recording .*ENOENT/],
    ['damaged in the middle', 'oops\n{}\n', 'state.malformed', /^Line 1 of .* is no JSON/],
    ['of another shape', '{"schema":"other"}\n', 'state.malformed', /^Line 1 of .* is no recorded exchange: schema/],
    ['JSON, but no object', '[]\n', 'state.malformed', /^Line 1 of .* is no recorded exchange/],
  ])('because it is %s is refused', async (_what, content, code, message) => {
    if (content !== undefined) await writeFile(path, content);
    await expect(openReplayModel(path)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('because it is a folder is refused, to read and to write', async () => {
    await expect(openReplayModel(folder)).rejects.toMatchObject({ code: 'state.unreadable' });
    await expect(recordModel(scriptedModel([]), folder)).rejects.toMatchObject({
      code: 'state.unwritable',
      message: expect.stringContaining('EISDIR'),
    });
  });

  test('an abort while reading rejects with its reason', async () => {
    await record([{ content: 'one' }], ['a']);
    const reason = new Error('stop');
    await expect(openReplayModel(path, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
