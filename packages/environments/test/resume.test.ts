import { appendFile, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type ProcessSummary, processEnvironment } from '../src/index.ts';
import { driverOptions, numberItems, numbers, promptNumber, readRows, temporaryFolder } from './harness.ts';

/** Runs until the model was asked so many times, then stops. */
async function interruptAfter(folder: string, answers: number, asked: string[]): Promise<ProcessSummary> {
  const stop = new AbortController();
  const environment = numbers({ items: numberItems(5) });
  return processEnvironment(
    environment,
    driverOptions(environment, {
      folder,
      argv: ['--steps', '5'],
      script({ messages }) {
        asked.push(promptNumber(messages));
        if (asked.length > answers) stop.abort(new Error('enough'));
        return { content: promptNumber(messages) };
      },
      changes: { signal: stop.signal },
    }),
  );
}

async function resume(folder: string, argv: readonly string[] = []): Promise<ProcessSummary> {
  const environment = numbers({ items: numberItems(5) });
  return processEnvironment(
    environment,
    driverOptions(environment, { folder, argv: ['--steps', '5', '--env.resume', ...argv] }),
  );
}

function indexesOf(rows: Awaited<ReturnType<typeof readRows>>): unknown[] {
  return rows.map((row) => (row['meta'] as { readonly index: number }).index);
}

describe('a resumed run', () => {
  test('that is a copy of another goes on in its own file, and leaves that of the other alone', async () => {
    await using folder = await temporaryFolder();
    const argv = ['--env.data_path_to_save_groups', join(folder.path, 'run', 'groups.jsonl'), '--seed', '1'];
    const environment = numbers({ items: numberItems(5) });
    const first = driverOptions(environment, { folder: folder.path, argv: ['--steps', '2', ...argv] });
    const { outputPath } = await processEnvironment(environment, first);
    const copy = join(folder.path, 'copy');
    await cp(join(folder.path, 'run'), copy, { recursive: true });

    const more = driverOptions(environment, {
      folder: folder.path,
      argv: ['--steps', '4', '--env.resume', ...argv],
      changes: { runFolder: copy },
    });
    const resumed = await processEnvironment(environment, more);
    expect(resumed.outputPath).toBe(join(copy, 'groups.jsonl'));
    expect(indexesOf(await readRows(resumed.outputPath))).toEqual([0, 1, 2, 3]);
    expect(indexesOf(await readRows(outputPath))).toEqual([0, 1]);
  });

  test('that was killed between making its file and noting it goes on in that file', async () => {
    await using folder = await temporaryFolder();
    const outputPath = join(folder.path, 'run', 'groups.jsonl');
    const argv = ['--steps', '2', '--env.data_path_to_save_groups', outputPath, '--seed', '1'];
    const environment = numbers({ items: numberItems(5) });
    await processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv }));
    await writeFile(outputPath, '');
    await rm(join(folder.path, 'run', 'output.json'));

    const again = driverOptions(environment, { folder: folder.path, argv: [...argv, '--env.resume'] });
    const resumed = await processEnvironment(environment, again);
    expect(resumed.outputPath).toBe(outputPath);
    expect(indexesOf(await readRows(outputPath))).toEqual([0, 1]);
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])('stopped after %i answers does only what is missing', async (answers) => {
    await using folder = await temporaryFolder();
    const first = await interruptAfter(folder.path, answers, []);
    expect(first.outcome).toBe('interrupted');
    const second = await resume(folder.path);
    expect(second).toMatchObject({ outcome: 'done', groupsAccepted: 5, runId: first.runId, meanReward: 1 });
    expect(second.rollouts).toHaveLength(10);
    expect(second.rollouts.filter((rollout) => rollout.isResumed)).toHaveLength(first.rollouts.length);
    expect(indexesOf(await readRows(second.outputPath))).toEqual([0, 1, 2, 3, 4]);
    if (first.outputPath !== null) expect(second.outputPath).toBe(first.outputPath);
  });

  test('writes no line twice and drops a torn one', async () => {
    await using folder = await temporaryFolder();
    const first = await interruptAfter(folder.path, 6, []);
    await appendFile(first.outputPath ?? '', '{"tokens": [[0');
    const second = await resume(folder.path);
    expect(indexesOf(await readRows(second.outputPath))).toEqual([0, 1, 2, 3, 4]);
  });

  test('writes its output anew from the journal where somebody removed it', async () => {
    await using folder = await temporaryFolder();
    const first = await interruptAfter(folder.path, 6, []);
    await rm(first.outputPath ?? '');
    const second = await resume(folder.path);
    expect(indexesOf(await readRows(second.outputPath))).toEqual([0, 1, 2, 3, 4]);
  });

  test('that is done already runs nothing', async () => {
    await using folder = await temporaryFolder();
    await resume(folder.path);
    const environment = numbers({ items: numberItems(5) });
    const script = () => {
      throw new Error('must not be asked');
    };
    const again = await processEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, script, argv: ['--steps', '5', '--env.resume'] }),
    );
    expect(again).toMatchObject({ outcome: 'done', groupsAccepted: 5 });
    expect(indexesOf(await readRows(again.outputPath))).toEqual([0, 1, 2, 3, 4]);
  });

  test('can be made longer, and not into another run', async () => {
    await using folder = await temporaryFolder();
    await resume(folder.path);
    expect(await resume(folder.path, ['--steps', '7'])).toMatchObject({ groupsAccepted: 7 });
    await expect(resume(folder.path, ['--temperature', '0.5'])).rejects.toMatchObject({ code: 'state.different-run' });
  });

  test('counts the usage of both parts', async () => {
    await using folder = await temporaryFolder();
    const asked: string[] = [];
    const first = await interruptAfter(folder.path, 5, asked);
    const second = await resume(folder.path);
    await using whole = await temporaryFolder();
    const uninterrupted = await resume(whole.path);
    expect(first.usage.total_tokens).toBeLessThan(uninterrupted.usage.total_tokens);
    expect(second.usage).toEqual(uninterrupted.usage);
  });

  test('gives the page all groups', async () => {
    await using folder = await temporaryFolder();
    await interruptAfter(folder.path, 5, []);
    const { htmlPath } = await resume(folder.path);
    const page = await readFile(htmlPath ?? '', 'utf8');
    for (const number of [0, 1, 2, 3, 4]) expect(page).toContain(`Say ${number}.`);
  });
});
