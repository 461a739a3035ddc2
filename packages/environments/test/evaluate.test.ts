import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createMemoryLogger } from '@talaria/core/testing';
import { evaluateEnvironment, type MetricRecord, type MetricSink } from '../src/index.ts';
import {
  driverOptions,
  numberItems,
  numbers,
  type obedient,
  promptNumber,
  readRows,
  temporaryFolder,
} from './harness.ts';

async function readMetrics(folder: string) {
  return JSON.parse(await readFile(join(folder, 'metrics.json'), 'utf8'));
}

describe('evaluate', () => {
  test('writes metrics, samples and configuration in the shape of upstream', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    const argv = ['--env.data_dir_to_save_evals', 'results'];
    const summary = await evaluateEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, driver: 'evaluate', argv }),
    );
    expect(summary).toMatchObject({
      outcome: 'done',
      itemsTotal: 3,
      itemsScored: 3,
      errors: 0,
      meanReward: 1,
      outputFolder: join(folder.path, 'results'),
      htmlPath: join(folder.path, 'results/samples.html'),
    });
    const html = await readFile(summary.htmlPath ?? '', 'utf8');
    expect(html).toContain('<title>numbers with scripted</title>');
    expect(html).toContain('3 groups · 3 rollouts · mean reward 1');
    expect(html).toMatch(/stop reason completed · turns 1 · tokens \d+ · [\d.]+ s/u);
    expect(await readMetrics(summary.outputFolder)).toEqual({
      config_general: {
        model_name: 'scripted',
        total_evaluation_time_seconds: expect.stringMatching(/^\d/u),
        generation_parameters: { max_new_tokens: 2048, temperature: 0, max_agent_turns: 30, samples: 1 },
      },
      results: { 'atropos|numbers_eval|0': summary.metrics, all: summary.metrics },
    });
    const rows = await readRows(join(summary.outputFolder, 'samples.jsonl'));
    expect(rows.map((row) => [row['item_id'], row['score']])).toEqual([
      ['n0', 1],
      ['n1', 1],
      ['n2', 1],
    ]);
    const config = await readFile(join(summary.outputFolder, 'evaluate_config.yaml'), 'utf8');
    expect(config).toMatch(/^env:$/mu);
    expect(config).toMatch(/^openai:$/mu);
  });

  test('puts results into the run folder where no other is named', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    const options = driverOptions(environment, { folder: folder.path, driver: 'evaluate' });
    const summary = await evaluateEnvironment(environment, options);
    expect(summary.outputFolder).toBe(options.runFolder);
  });

  test('asks with temperature 0', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    const temperatures: unknown[] = [];
    const script = (request: { temperature?: number | undefined }) => {
      temperatures.push(request.temperature);
      return { content: 'x' };
    };
    await evaluateEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, driver: 'evaluate', script }),
    );
    expect(temperatures).toEqual([0, 0, 0]);
  });

  test('counts what could not be scored apart from what failed, and takes texts as metrics', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({
      items: numberItems(4),
      computeReward: ({ number }, { messages }) =>
        number === 3
          ? Promise.reject(new Error('broke'))
          : Promise.resolve(messages.at(-1)?.content === String(number) ? 1 : 0),
      evaluate: (rollouts) => ({ 'eval/verdict': 'mixed', seen: rollouts.length }),
    });
    const summary = await evaluateEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, driver: 'evaluate', script: () => ({ content: '0' }) }),
    );
    expect(summary).toMatchObject({
      outcome: 'partial',
      reason: '1 of 4 samples could not be scored',
      errors: 1,
      itemsScored: 3,
    });
    expect(summary.metrics).toMatchObject({
      'eval/n_items': 4,
      'eval/n_errors': 1,
      'eval/mean_reward': 0.25,
      'eval/mean_reward_scored': 1 / 3,
      'eval/pass_rate': 0.25,
      'eval/verdict': 'mixed',
      'eval/seen': 4,
    });
    expect(summary.ownMetrics).toEqual({ 'eval/verdict': 'mixed', 'eval/seen': 4 });
    const rows = await readRows(join(summary.outputFolder, 'samples.jsonl'));
    expect(rows.map((row) => [row['item_id'], row['correct']]).sort()).toEqual([
      ['n0', true],
      ['n1', false],
      ['n2', false],
      ['n3', null],
    ]);
  });

  test('tells no mean and no rate where nothing was scored, nor does a sink', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({ computeReward: () => Promise.reject(new Error('broke')) });
    const records: MetricRecord[] = [];
    const sink: MetricSink = {
      name: 'memory',
      log: (record) => records.push(record),
      async [Symbol.asyncDispose]() {},
    };
    const logger = createMemoryLogger();
    const changes = { sinks: [sink], logger };
    const summary = await evaluateEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, driver: 'evaluate', changes }),
    );
    const { results } = await readMetrics(summary.outputFolder);
    for (const metrics of [summary.metrics, results.all, records[0]?.metrics]) {
      expect(metrics).toMatchObject({ 'eval/n_errors': 3, 'eval/num_samples': 3 });
      expect(Object.keys(metrics).filter((name) => /mean_reward|pass_rate|reward_mean/u.test(name))).toEqual([]);
    }
    expect(logger.entries).toContainEqual(
      expect.objectContaining({
        event: 'run.planned',
        fields: { environment: 'numbers', model: 'scripted', groups: 3, groupSize: 1, rollouts: 3 },
      }),
    );
    expect(logger.entries).toContainEqual(
      expect.objectContaining({
        event: 'rollout.reward-failed',
        fields: expect.objectContaining({ stack: expect.stringContaining('evaluate.test.ts') }),
      }),
    );
  });

  test('runs several samples per item and reports pass@k', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({
      items: numberItems(2),
      computeReward: async ({ number }, _result, { sample }) => (number === 0 || sample > 1 ? 1 : 0),
    });
    const argv = ['--samples', '4'];
    const summary = await evaluateEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, driver: 'evaluate', argv }),
    );
    expect(summary.rollouts).toHaveLength(8);
    expect(summary.metrics['eval/pass@1']).toBeCloseTo(0.75);
    expect(summary.metrics['eval/pass@2']).toBeCloseTo((1 + 5 / 6) / 2);
    expect(summary.metrics['eval/pass@4']).toBe(1);
  });

  test('runs no more at a time than it may', async () => {
    await using folder = await temporaryFolder();
    let running = 0;
    let most = 0;
    const environment = numbers({
      items: numberItems(12),
      async computeReward() {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return 1;
      },
    });
    const argv = ['--concurrency', '3'];
    await evaluateEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, driver: 'evaluate', argv }),
    );
    expect(most).toBe(3);
  });

  test('evaluates only so many items where that is asked for', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    const options = driverOptions(environment, { folder: folder.path, driver: 'evaluate' });
    const summary = await evaluateEnvironment(environment, { ...options, maxItems: 2 });
    expect(summary.itemsTotal).toBe(2);
  });

  test('says so where an environment has no items', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({ items: undefined, getNextItem: async () => null });
    await expect(
      evaluateEnvironment(environment, driverOptions(environment, { folder: folder.path, driver: 'evaluate' })),
    ).rejects.toMatchObject({ code: 'task.no-eval-items' });
  });
});

test('tells that its samples cannot be written, and nothing that follows from it', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'results/samples.jsonl'), { recursive: true });
  const environment = numbers();
  const argv = ['--env.data_dir_to_save_evals', 'results'];
  const options = driverOptions(environment, { folder: folder.path, driver: 'evaluate', argv });
  await expect(evaluateEnvironment(environment, options)).rejects.toMatchObject({
    code: expect.stringMatching(/^state/),
  });
});

test('an interrupted evaluation leaves partial metrics, and goes on by the samples that it has', async () => {
  await using folder = await temporaryFolder();
  const stop = new AbortController();
  const asked: string[] = [];
  const environment = numbers({ items: numberItems(6) });
  const script: typeof obedient = (request) => {
    asked.push(promptNumber(request.messages));
    if (asked.length === 4) stop.abort(new Error('enough'));
    return { content: promptNumber(request.messages) };
  };
  const options = (argv: readonly string[]) =>
    driverOptions(environment, {
      folder: folder.path,
      driver: 'evaluate',
      script,
      argv: ['--concurrency', '1', ...argv],
    });
  const first = await evaluateEnvironment(environment, { ...options([]), signal: stop.signal });
  expect(first).toMatchObject({ outcome: 'interrupted', reason: 'Stopped after 3 samples' });
  expect(await readMetrics(first.outputFolder)).toMatchObject({
    partial: true,
    results: { all: { 'eval/n_items': 3 } },
  });
  expect(await readRows(join(first.outputFolder, 'samples.jsonl'))).toHaveLength(3);

  const second = await evaluateEnvironment(environment, options(['--env.resume']));
  expect(second).toMatchObject({ outcome: 'done', itemsScored: 6, runId: first.runId });
  expect(second.rollouts.filter((rollout) => rollout.isResumed)).toHaveLength(3);
  expect(asked).toEqual(['0', '1', '2', '3', '3', '4', '5']);
  const rows = await readRows(join(second.outputFolder, 'samples.jsonl'));
  expect(rows.map((row) => row['item_id'])).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5']);
  expect(await readMetrics(second.outputFolder)).not.toHaveProperty('partial');
});

test('a sample that could not be scored is run again by a resumed evaluation, and stands in the file once', async () => {
  await using folder = await temporaryFolder();
  let isBroken = true;
  const environment = numbers({
    computeReward: ({ number }) => (isBroken && number === 1 ? Promise.reject(new Error('broke')) : Promise.resolve(1)),
  });
  const options = (argv: readonly string[]) =>
    driverOptions(environment, { folder: folder.path, driver: 'evaluate', argv });
  const first = await evaluateEnvironment(environment, options([]));
  expect(first).toMatchObject({ outcome: 'partial', errors: 1 });
  isBroken = false;
  const second = await evaluateEnvironment(environment, options(['--env.resume']));
  expect(second).toMatchObject({ outcome: 'done', errors: 0 });
  const rows = await readRows(join(second.outputFolder, 'samples.jsonl'));
  expect(rows.map((row) => row['item_id']).sort()).toEqual(['n0', 'n1', 'n2']);
  expect(rows.map((row) => row['score'])).toEqual([1, 1, 1]);
});
