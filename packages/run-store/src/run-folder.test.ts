import { chmod, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isTalariaError, type RunEvent, type TalariaError } from '@talaria/core';
import { createManualClock } from '@talaria/core/testing';
import { numberedRollout, openSampleRun, storedIds } from '../test/sample-run.ts';
import { openTemporaryFolder } from '../test/temporary-folder.ts';
import { readRunManifest } from './manifest-file.ts';

async function errorOf(promise: Promise<unknown>): Promise<TalariaError> {
  try {
    await promise;
  } catch (error) {
    if (isTalariaError(error)) return error;
    throw error;
  }
  throw new Error('It did not fail');
}

const event: RunEvent = { version: 1, runId: 'run', rolloutId: 'r', sequence: 0, at: 5, type: 'turn-start', turn: 1 };

describe('openRunFolder, create', () => {
  test('writes the manifest and takes the lock', async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'deep', 'run');
    const clock = createManualClock(1_000);
    await using folder = await openSampleRun(path, 'create', { clock, createId: (prefix) => `${prefix}_0` });
    expect(JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8'))).toEqual({
      schema: 'talaria.run/1',
      run_id: 'run_0',
      created_at: 1_000,
      command: 'process',
      env: 'sample',
      config: { env: { group_size: 4 } },
      versions: { talaria: '0.0.0' },
    });
    expect(folder).toMatchObject({ runId: 'run_0', isResumed: false, rolloutCount: 0 });
    expect(await readdir(path)).toContain('lock');
  });

  test('refuses a folder that holds a run, and says how to go on', async () => {
    await using temporary = await openTemporaryFolder();
    const first = await openSampleRun(temporary.path, 'create');
    await first[Symbol.asyncDispose]();
    const error = await errorOf(openSampleRun(temporary.path, 'create'));
    const hint = `Choose another folder, or go on with that run: --resume ${temporary.path}`;
    expect(error).toMatchObject({ code: 'state.exists', hint });
    expect(error.message).toContain(first.runId);
  });

  test.each(['create', 'create-or-resume', 'resume'] as const)(
    '%s refuses a folder that holds other things, and leaves them alone',
    async (mode) => {
      await using temporary = await openTemporaryFolder();
      await writeFile(join(temporary.path, 'thesis.tex'), 'text');
      const error = await errorOf(openSampleRun(temporary.path, mode));
      expect(error.code).toBe('state.exists');
      expect(error.message).toContain('thesis.tex');
      expect(await readdir(temporary.path)).toEqual(['thesis.tex']);
    },
  );

  test('an unwritable place is told with its path', async () => {
    await using temporary = await openTemporaryFolder();
    await chmod(temporary.path, 0o500);
    // The administrator may write anywhere but in the kernel's own tree.
    const parent = process.getuid?.() === 0 ? '/sys' : temporary.path;
    const path = join(parent, 'talaria-run');
    const error = await errorOf(openSampleRun(path, 'create'));
    await chmod(temporary.path, 0o700);
    expect(error.code).toBe('state.not-writable');
    expect(error.message).toContain(path);
    expect(error.hint).toBeTruthy();
  });

  test('a file where a folder should be is told', async () => {
    await using temporary = await openTemporaryFolder();
    const file = join(temporary.path, 'file');
    await writeFile(file, '');
    for (const path of [file, join(file, 'run')]) {
      expect((await errorOf(openSampleRun(path, 'create'))).code).toBe('state.not-writable');
    }
  });

  test('refuses a writer that is no name of a file', async () => {
    await using temporary = await openTemporaryFolder();
    const error = await errorOf(openSampleRun(temporary.path, 'create', { writer: '../other' }));
    expect(error.code).toBe('config.invalid');
  });

  test('an aborted signal opens nothing and leaves nothing', async () => {
    await using temporary = await openTemporaryFolder();
    const reason = new Error('stop');
    const opening = openSampleRun(temporary.path, 'create', { signal: AbortSignal.abort(reason) });
    await expect(opening).rejects.toBe(reason);
    expect(await readdir(temporary.path)).toEqual([]);
  });
});

describe('openRunFolder, resume', () => {
  test('needs a folder that exists', async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'typo');
    expect(await errorOf(openSampleRun(path, 'resume'))).toMatchObject({ code: 'state.missing' });
    expect(await readdir(temporary.path)).toEqual([]);
  });

  test('goes on with the same run', async () => {
    await using temporary = await openTemporaryFolder();
    const first = await openSampleRun(temporary.path, 'create');
    await first.appendRollout(numberedRollout(1));
    await first[Symbol.asyncDispose]();
    await using second = await openSampleRun(temporary.path, 'resume');
    expect(second).toMatchObject({ runId: first.runId, isResumed: true, rolloutCount: 1 });
    expect(second.manifest.createdAt).toBe(first.manifest.createdAt);
  });

  test('refuses another environment or other settings, naming each difference', async () => {
    await using temporary = await openTemporaryFolder();
    await (await openSampleRun(temporary.path, 'create'))[Symbol.asyncDispose]();
    const manifest = {
      command: 'process',
      environment: 'other',
      config: { env: { group_size: 8, seed: 1 } },
      versions: { talaria: '9.9.9' },
    };
    const error = await errorOf(openSampleRun(temporary.path, 'resume', { manifest }));
    expect(error.code).toBe('state.different-run');
    expect(error.message).toContain(
      'environment was "sample", now "other"; env.group_size was 4, now 8; env.seed was not set, now 1',
    );
  });

  test('lets the named settings change, and stores them', async () => {
    await using temporary = await openTemporaryFolder();
    await (await openSampleRun(temporary.path, 'create'))[Symbol.asyncDispose]();
    const manifest = { command: 'process', environment: 'sample', config: { env: { group_size: 8 } }, versions: {} };
    await using folder = await openSampleRun(temporary.path, 'resume', { manifest, changeableKeys: ['env'] });
    expect(folder.manifest.config).toEqual({ env: { group_size: 8 } });
    const stored = JSON.parse(await readFile(join(temporary.path, 'manifest.json'), 'utf8')) as Record<string, unknown>;
    expect(stored['config']).toEqual({ env: { group_size: 8 } });
  });

  test('begins anew where a run was killed before it had written its manifest', async () => {
    await using temporary = await openTemporaryFolder();
    await writeFile(join(temporary.path, '.manifest.json.write_1.tmp'), '{"sche');
    await utimes(join(temporary.path, '.manifest.json.write_1.tmp'), 1, 1);
    await using folder = await openSampleRun(temporary.path, 'resume');
    expect(folder.isResumed).toBe(false);
    expect((await readdir(temporary.path)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test.each([
    ['state.damaged-manifest', '{"schema":"talaria.run/1"'],
    ['state.damaged-manifest', '{"schema":"talaria.run/1","run_id":7}'],
    ['state.damaged-manifest', '[]'],
    ['state.unknown-version', '{"schema":"talaria.run/2"}'],
  ])('%s: a manifest %s is refused', async (code, text) => {
    await using temporary = await openTemporaryFolder();
    await writeFile(join(temporary.path, 'manifest.json'), text);
    const error = await errorOf(openSampleRun(temporary.path, 'resume'));
    expect(error.code).toBe(code);
    expect(error.message).toContain(join(temporary.path, 'manifest.json'));
    expect(await readdir(temporary.path)).toEqual(['manifest.json']);
  });
});

describe('a run folder', () => {
  test('knows what is stored by item, sample and attempt', async () => {
    await using temporary = await openTemporaryFolder();
    await using folder = await openSampleRun(temporary.path, 'create');
    await folder.appendRollout(numberedRollout(1, { attempt: 1, isMasked: true }));
    const key = { itemKey: 'item1:0', sample: 0 };
    expect(folder.isDone(key)).toBe(false);
    expect(folder.lastAttempt(key)).toBe(1);
    await folder.appendRollout(numberedRollout(1, { attempt: 2 }));
    expect(folder.isDone(key)).toBe(true);
    expect(folder.lastAttempt(key)).toBe(2);
    expect([1, 2, 3].map((attempt) => folder.has({ ...key, attempt }))).toEqual([true, true, false]);
    expect(folder.isDone({ ...key, sample: 1 })).toBe(false);
    expect(folder.lastAttempt({ itemKey: 'item2:0', sample: 0 })).toBe(0);
  });

  test('gives the rollouts of one item, by sample, then attempt', async () => {
    await using temporary = await openTemporaryFolder();
    await using folder = await openSampleRun(temporary.path, 'create');
    for (const [sample, attempt] of [
      [1, 1],
      [0, 2],
      [0, 1],
    ] as const) {
      await folder.appendRollout(numberedRollout(7, { rolloutId: `s${sample}a${attempt}`, sample, attempt }));
      await folder.appendRollout(numberedRollout(8, { sample, attempt }));
    }
    const rollouts = await folder.rolloutsOf('item7:0');
    expect(rollouts.map(({ rolloutId }) => rolloutId)).toEqual(['s0a1', 's0a2', 's1a1']);
    expect(await folder.rolloutsOf('unknown:0')).toEqual([]);
  });

  test('never stores one key twice, also when both come at once', async () => {
    await using temporary = await openTemporaryFolder();
    await using folder = await openSampleRun(temporary.path, 'create');
    const outcomes = await Promise.allSettled(
      [1, 2].map((id) => folder.appendRollout(numberedRollout(5, { rolloutId: `${id}` }))),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((await errorOf(folder.appendRollout(numberedRollout(5)))).code).toBe('state.duplicate-record');
    expect(await storedIds(folder)).toEqual(['1']);
  });

  test('refuses a record that could not be read back, and stores a good one afterwards', async () => {
    await using temporary = await openTemporaryFolder();
    await using folder = await openSampleRun(temporary.path, 'create');
    const broken = numberedRollout(1, { rewardParts: { tests: Number.NaN } });
    const error = await errorOf(folder.appendRollout(broken));
    expect(error.code).toBe('state.invalid-record');
    expect(error.message).toContain('`rewards.tests`');
    await folder.appendRollout(numberedRollout(1));
    expect(await storedIds(folder)).toEqual(['rollout_1']);
  });

  test('disposed of twice, and while appends wait, stores them and refuses later ones', async () => {
    await using temporary = await openTemporaryFolder();
    const folder = await openSampleRun(temporary.path, 'create');
    const appends = Array.from({ length: 50 }, (_, number) => folder.appendRollout(numberedRollout(number)));
    await Promise.all([folder[Symbol.asyncDispose](), folder[Symbol.asyncDispose]()]);
    await Promise.all(appends);
    expect((await errorOf(folder.appendRollout(numberedRollout(99)))).code).toBe('state.closed');
    await using again = await openSampleRun(temporary.path, 'resume');
    expect(again.rolloutCount).toBe(50);
  });

  test('tolerates that somebody deleted it', async () => {
    await using temporary = await openTemporaryFolder();
    const folder = await openSampleRun(join(temporary.path, 'run'), 'create');
    await temporary[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test('writes events with snake_case names, each on a line of its own, also behind a torn one', async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'events.jsonl');
    for (const mode of ['create', 'resume'] as const) {
      await using folder = await openSampleRun(temporary.path, mode);
      folder.recordEvent(event);
      folder.recordEvent({
        ...event,
        sequence: 1,
        type: 'turn-end',
        finishReason: 'stop',
        usage: null,
        modelMs: 1,
        toolsMs: 2,
      });
      await folder[Symbol.asyncDispose]();
      folder.recordEvent(event);
      await writeFile(path, '{"version":1,"torn', { flag: mode === 'create' ? 'a' : 'r+' });
    }
    const lines = (await readFile(path, 'utf8')).split('\n');
    expect(lines).toHaveLength(6);
    expect(JSON.parse(lines[1] ?? '')).toEqual({
      version: 1,
      run_id: 'run',
      rollout_id: 'r',
      sequence: 1,
      at: 5,
      type: 'turn-end',
      turn: 1,
      finish_reason: 'stop',
      usage: null,
      model_ms: 1,
      tools_ms: 2,
    });
    expect(JSON.parse(lines[3] ?? '')).toMatchObject({ type: 'turn-start' });
  });

  test('an empty folder may be created in, also one that was made beforehand', async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'empty');
    await mkdir(path);
    await using folder = await openSampleRun(path, 'create');
    expect(folder.path).toBe(path);
  });
});

describe('readRunManifest', () => {
  test('gives what a run was started with, also while it goes on, and null where there is none', async () => {
    await using temporary = await openTemporaryFolder();
    const path = join(temporary.path, 'run');
    expect(await readRunManifest(path)).toBeNull();
    await using folder = await openSampleRun(path, 'create');
    expect(await readRunManifest(path)).toMatchObject({
      runId: folder.runId,
      command: 'process',
      environment: 'sample',
      config: { env: { group_size: 4 } },
    });
    expect(await readRunManifest(join(path, 'manifest.json'))).toBeNull();
  });

  test('refuses one that it cannot read', async () => {
    await using temporary = await openTemporaryFolder();
    await writeFile(join(temporary.path, 'manifest.json'), '{');
    expect(await errorOf(readRunManifest(temporary.path))).toMatchObject({ code: 'state.damaged-manifest' });
  });
});
