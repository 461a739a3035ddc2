import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ModelError, type RunEvent, SandboxError } from '@talaria/core';
import { createManualClock, createMemoryLogger } from '@talaria/core/testing';
import { scriptedModel } from '@talaria/model-client/testing';
import { createFakeBackend, createFakeSandbox } from '@talaria/terminal-backends/testing';
import {
  type Environment,
  type MetricRecord,
  type MetricSink,
  processEnvironment,
  type RunProgress,
} from '../src/index.ts';
import {
  callTool,
  driverOptions,
  type NumberItem,
  numberItems,
  numbers,
  obedient,
  promptNumber,
  readRows,
  registry,
  temporaryFolder,
} from './harness.ts';

function collectingSink(): MetricSink & { readonly records: MetricRecord[] } {
  const records: MetricRecord[] = [];
  return { name: 'memory', records, log: (record) => records.push(record), async [Symbol.asyncDispose]() {} };
}

describe('process', () => {
  test('writes one line per group in the shape of upstream, a page beside it, and tells of it', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    const sink = collectingSink();
    const summary = await processEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, changes: { sinks: [sink] } }),
    );
    expect(summary).toMatchObject({
      outcome: 'done',
      reason: null,
      groupsAccepted: 3,
      groupsRejected: {},
      meanReward: 1,
      model: 'scripted',
      costUsd: 0,
      outputPath: join(folder.path, 'data/numbers.jsonl'),
      htmlPath: join(folder.path, 'data/numbers.html'),
    });
    expect(summary.rollouts).toHaveLength(6);
    expect(new Set(summary.rollouts.map((rollout) => rollout.label))).toEqual(new Set(['n0', 'n1', 'n2']));
    const rows = await readRows(summary.outputPath);
    expect(rows.map((row) => row['scores'])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    expect(rows[0]).toMatchObject({ tokens: [[0], [0]], masks: [[-100], [-100]], meta: { index: 0, env: 'numbers' } });
    expect(sink.records.map((record) => record.step)).toEqual([1, 2, 3]);
    expect(sink.records[0]?.metrics).toMatchObject({ 'train/reward_mean': 1, 'train/stop_reason_completed': 1 });
    expect(await readFile(summary.htmlPath ?? '', 'utf8')).toContain('Say 0.');
  });

  test('writes one line per rollout where that is asked for', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    const options = driverOptions(environment, { folder: folder.path });
    const summary = await processEnvironment(environment, { ...options, rows: 'rollout' });
    const rows = await readRows(summary.outputPath);
    expect(rows).toHaveLength(6);
    expect(rows[0]).toMatchObject({ reward: 1, item_id: 'n0', sample: expect.any(Number) });
    const html = await readFile(summary.htmlPath ?? '', 'utf8');
    expect(html).toContain('Say 0.');
    expect(html).toContain('6 groups · 6 rollouts · mean reward 1');
    expect(html).toMatch(/stop reason completed · turns 1 · tokens \d+/u);
  });

  test('never writes over a file that is there', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    const path = join(folder.path, 'mine.jsonl');
    await writeFile(path, 'precious\n');
    const argv = ['--env.data_path_to_save_groups', path];
    const summary = await processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv }));
    expect(summary.outputPath).toBe(join(folder.path, 'mine_1.jsonl'));
    expect(await readFile(path, 'utf8')).toBe('precious\n');
  });

  test('shows what a model wrote without running it', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    const script = () => ({ content: '<script>alert(1)</script>' });
    const summary = await processEnvironment(environment, driverOptions(environment, { folder: folder.path, script }));
    expect(await readFile(summary.htmlPath ?? '', 'utf8')).not.toContain('<script');
  });

  test('ends where there are no more items', async () => {
    await using folder = await temporaryFolder();
    const [only] = numberItems(1);
    const environment = numbers({
      items: undefined,
      getNextItem: async ({ itemIndex }) => (itemIndex === 0 ? (only ?? null) : null),
    });
    const summary = await processEnvironment(environment, driverOptions(environment, { folder: folder.path }));
    expect(summary).toMatchObject({ outcome: 'done', groupsAccepted: 1 });
  });

  test.each([
    ['an empty list', { items: [] }],
    ['a null at once', { items: undefined, getNextItem: async () => null }],
  ])('fails where there is no item: %s', async (_title, changes) => {
    await using folder = await temporaryFolder();
    const environment = numbers(changes);
    const summary = await processEnvironment(environment, driverOptions(environment, { folder: folder.path }));
    expect(summary).toMatchObject({ outcome: 'failed', reason: 'There were no items: numbers gave none' });
  });

  test('plays the items of a plain object and of a class', async () => {
    await using folder = await temporaryFolder();
    class Plain implements Environment<NumberItem> {
      readonly name = 'plain';
      readonly items = numberItems(2);
      formatPrompt({ number }: NumberItem): string {
        return `Say ${number}.`;
      }
      computeReward(): number {
        return 1;
      }
    }
    const object: Environment<NumberItem> = {
      name: 'object',
      items: numberItems(2),
      formatPrompt: () => 'x',
      computeReward: () => 1,
    };
    for (const environment of [new Plain(), object]) {
      const options = driverOptions(environment, {
        folder: join(folder.path, environment.name),
        argv: ['--steps', '2'],
      });
      expect(await processEnvironment(environment, options)).toMatchObject({ outcome: 'done', groupsAccepted: 2 });
    }
  });

  test('runs groups at the same time, and asks for items one by one', async () => {
    await using folder = await temporaryFolder();
    let asking = 0;
    let running = 0;
    let most = 0;
    const items = numberItems(8);
    const environment = numbers({
      items: undefined,
      async getNextItem({ itemIndex }) {
        asking += 1;
        expect(asking).toBe(1);
        await Promise.resolve();
        asking -= 1;
        return items[itemIndex] ?? null;
      },
      async computeReward() {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return 1;
      },
    });
    const argv = ['--steps', '8', '--concurrency', '4', '--group-size', '1'];
    const summary = await processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv }));
    expect(summary.groupsAccepted).toBe(8);
    expect(most).toBe(4);
  });

  test('emits the events of each rollout in order and without gaps, the end only once it is durable', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    const events: RunEvent[] = [];
    const script = ({ messages }: { messages: readonly unknown[] }) =>
      messages.length === 1 ? callTool('echo', { text: 'x' }) : { content: 'done' };
    await processEnvironment(
      environment,
      driverOptions(environment, {
        folder: folder.path,
        script,
        argv: ['--steps', '1', '--group-size', '1'],
        changes: { onEvent: (event) => events.push(event) },
      }),
    );
    expect(events.map((event) => event.type)).toEqual([
      'rollout-start',
      'turn-start',
      'tool-call-start',
      'tool-call-end',
      'turn-end',
      'turn-start',
      'turn-end',
      'rollout-end',
    ]);
    expect(events.map((event) => event.sequence)).toEqual(events.map((_event, index) => index));
  });

  test('tells where it stands after each change', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    const seen: RunProgress[] = [];
    const changes = { onProgress: (progress: RunProgress) => seen.push(progress) };
    await processEnvironment(environment, driverOptions(environment, { folder: folder.path, changes }));
    expect(seen.at(-1)).toMatchObject({
      phase: 'finishing',
      itemsDone: 3,
      itemsTotal: 3,
      rolloutsDone: 6,
      rolloutsRunning: 0,
    });
    expect(seen.filter((progress) => progress.lastRollout !== null)).toHaveLength(6);
  });

  test('tells that it is stopping once it is asked to, and never goes back', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    const stop = new AbortController();
    const phases: RunProgress['phase'][] = [];
    const script: typeof obedient = (request) => {
      stop.abort(new Error('enough'));
      return { content: promptNumber(request.messages) };
    };
    const onProgress = ({ phase }: RunProgress) => phases.push(phase);
    const changes = { onProgress, signal: stop.signal };
    await processEnvironment(environment, driverOptions(environment, { folder: folder.path, script, changes }));
    const distinct = phases.filter((phase, index) => phase !== phases[index - 1]);
    expect(distinct).toEqual(['setup', 'running', 'stopping', 'finishing']);
  });

  test('a listener or a sink that throws harms nothing', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    function refuse(): never {
      throw new Error('no');
    }
    const sink = { name: 'broken', log: refuse, async [Symbol.asyncDispose]() {} };
    const changes = { onProgress: refuse, onEvent: refuse, sinks: [sink], logger: createMemoryLogger() };
    const summary = await processEnvironment(environment, driverOptions(environment, { folder: folder.path, changes }));
    expect(summary.outcome).toBe('done');
    expect(changes.logger.entries.map((entry) => entry.event)).toContain('metrics.sink-failed');
  });
});

describe('a group', () => {
  test('with equal scores is left out where that is asked for, and counted', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    const argv = ['--env.ensure_scores_are_not_same'];
    const summary = await processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv }));
    expect(summary).toMatchObject({
      outcome: 'partial',
      reason: '3 of 3 groups were left out: 3 same_scores',
      groupsAccepted: 0,
      groupsRejected: { same_scores: 3 },
      outputPath: null,
      htmlPath: null,
    });
  });

  test('that is left out is replaced with `exact`', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({
      items: numberItems(4),
      computeReward: async ({ number }) => ({ reward: 1, isValid: number !== 1 }),
    });
    const options = driverOptions(environment, { folder: folder.path, argv: ['--exact'] });
    const summary = await processEnvironment(environment, options);
    expect(summary).toMatchObject({ outcome: 'done', groupsAccepted: 3, groupsRejected: { invalid: 1 } });
    const rows = await readRows(summary.outputPath);
    expect(rows.map((row) => row['meta'])).toMatchObject([{ item_id: 'n0' }, { item_id: 'n2' }, { item_id: 'n3' }]);
  });

  test('cannot be replaced for ever', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({ computeReward: async () => ({ reward: 1, isValid: false }) });
    const argv = ['--exact', '--env.process_max_failures', '4'];
    const summary = await processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv }));
    expect(summary).toMatchObject({ outcome: 'failed', groupsRejected: { invalid: 4 } });
  });
});

function sandboxError(code: 'sandbox.lost' | 'sandbox.not-found'): SandboxError {
  return new SandboxError('broken', { code, backend: 'fake', phase: 'exec', started: true });
}

function modelError(retryable: boolean): ModelError {
  return new ModelError('busy', { code: 'model.overloaded', retryable });
}

describe('a rollout that fails', () => {
  test.each([
    ['throws', () => Promise.reject(new Error('grader broke'))],
    [
      'throws before it waits',
      () => {
        throw new Error('grader broke');
      },
    ],
    ['gives NaN', async () => Number.NaN],
    ['gives an infinite part', async () => ({ reward: 1, parts: { a: Number.POSITIVE_INFINITY } })],
    ['gives nothing', async () => undefined as unknown as number],
  ])('because its reward function %s is left out at once, its siblings untouched', async (_title, fault) => {
    await using folder = await temporaryFolder();
    const environment = numbers({
      computeReward: (item, _result, context) =>
        item.number === 1 && context.sample === 0 ? fault() : Promise.resolve(1),
    });
    const summary = await processEnvironment(environment, driverOptions(environment, { folder: folder.path }));
    expect(summary).toMatchObject({ outcome: 'partial', groupsAccepted: 2, groupsRejected: { failed: 1 } });
    const failed = summary.rollouts.filter((rollout) => rollout.reward === null);
    expect(failed).toMatchObject([{ label: 'n1', sample: 0, attempt: 1, failure: { boundary: 'grader' } }]);
    expect(summary.rollouts).toHaveLength(6);
  });

  test.each<[string, () => Error, number]>([
    ['a sandbox that is lost', () => sandboxError('sandbox.lost'), 3],
    ['an endpoint that is busy', () => modelError(true), 3],
    ['an endpoint that refuses', () => modelError(false), 1],
    ['a file that is not there', () => sandboxError('sandbox.not-found'), 1],
  ])('because its reward function met %s is tried %i times', async (_title, fault, attempts) => {
    await using folder = await temporaryFolder();
    const environment = numbers({ computeReward: () => Promise.reject(fault()) });
    const argv = ['--steps', '1', '--group-size', '1', '--env.max_rollout_retries', '2'];
    const summary = await processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv }));
    expect(summary.rollouts).toMatchObject([{ reward: null, attempt: attempts }]);
  });

  test('counts as zero only where that is asked for', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({ computeReward: () => Promise.reject(new Error('broke')) });
    const argv = ['--env.on_reward_error', 'zero'];
    const summary = await processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv }));
    expect(summary).toMatchObject({ outcome: 'done', meanReward: 0 });
    expect(summary.rollouts[0]).toMatchObject({ attempt: 1, failure: { code: 'grader.failed' } });
  });

  test('ends the run where that is asked for, with what was made before kept', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({
      computeReward: (item) => (item.number === 1 ? Promise.reject(new Error('broke')) : Promise.resolve(1)),
    });
    const argv = ['--env.on_reward_error', 'fail'];
    await expect(
      processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv })),
    ).rejects.toMatchObject({ code: 'task.reward-failed' });
    expect(await readRows(join(folder.path, 'data/numbers.jsonl'))).toHaveLength(1);
  });

  test('for want of a sandbox is no fault of the model, whatever is said of reward errors', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({
      computeReward: async (_item, _result, context) => ((await context.exists('~/x')) ? 1 : 0),
    });
    const backend = createFakeBackend({
      open() {
        throw new SandboxError('no room', { code: 'sandbox.failed', backend: 'fake', phase: 'create', started: false });
      },
    });
    const summary = await processEnvironment(
      environment,
      driverOptions(environment, {
        folder: folder.path,
        argv: ['--env.on_reward_error', 'zero'],
        changes: { backend },
      }),
    );
    expect(summary).toMatchObject({ outcome: 'failed', meanReward: null, groupsRejected: { failed: 3 } });
    expect(summary.rollouts[0]?.failure).toMatchObject({ boundary: 'sandbox', code: 'sandbox.failed' });
  });

  test('for the endpoint is not scored, or scored where that is asked for and the model did something', async () => {
    const error = new ModelError('overloaded', { code: 'model.overloaded', retryable: true });
    const script = ({ messages }: { messages: readonly unknown[] }) =>
      messages.length === 1 ? callTool('echo', { text: 'x' }) : { error };
    for (const [argv, reward, groupsAccepted] of [
      [[], null, 0],
      [['--env.on_api_error', 'keep'], 0, 3],
    ] as const) {
      await using folder = await temporaryFolder();
      const environment = numbers();
      const summary = await processEnvironment(
        environment,
        driverOptions(environment, { folder: folder.path, script, argv }),
      );
      expect(summary.groupsAccepted).toBe(groupsAccepted);
      expect(summary.rollouts[0]).toMatchObject({ reward, failure: { code: 'model.overloaded' } });
    }
  });

  test('is tried again with a sandbox of its own', async () => {
    await using folder = await temporaryFolder();
    const backend = createFakeBackend();
    let calls = 0;
    const environment = numbers({
      async computeReward(_item, _result, context) {
        calls += 1;
        await context.sandbox();
        if (calls === 1) throw sandboxError('sandbox.lost');
        return 1;
      },
    });
    const argv = ['--steps', '1', '--group-size', '1'];
    const summary = await processEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, argv, changes: { backend } }),
    );
    expect(summary).toMatchObject({ outcome: 'done', rollouts: [{ attempt: 2, reward: 1 }] });
    expect(backend.sandboxes).toHaveLength(2);
    expect(backend.sandboxes.every((sandbox) => sandbox.isDisposed)).toBe(true);
  });

  test('in its preparation or its prompt is a record like any other', async () => {
    for (const changes of [
      { prepareSandbox: () => Promise.reject(new Error('no fixtures')) },
      {
        formatPrompt: () => {
          throw new Error('no prompt');
        },
      },
    ]) {
      await using folder = await temporaryFolder();
      const environment = numbers(changes);
      const summary = await processEnvironment(environment, driverOptions(environment, { folder: folder.path }));
      expect(summary.outcome).toBe('failed');
      expect(summary.rollouts[0]).toMatchObject({ reward: null, failure: { boundary: 'framework' }, turnsUsed: 0 });
    }
  });
});

describe('a run that cannot go on', () => {
  test.each(['model.unauthorized', 'model.not-found', 'model.connection'] as const)(
    'ends at once with the error of the endpoint: %s',
    async (code) => {
      await using folder = await temporaryFolder();
      const environment = numbers();
      const error = new ModelError('refused', { code, hint: 'Check it.' });
      const model = scriptedModel(() => ({ error }));
      const options = driverOptions(environment, { folder: folder.path, argv: ['--steps', '500'], changes: { model } });
      await expect(processEnvironment(environment, options)).rejects.toBe(error);
      expect(model.requests.length).toBeLessThanOrEqual(4);
    },
  );

  test('gives up after too many failed groups in a row', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({ computeReward: () => Promise.reject(new Error('broke')) });
    const argv = ['--steps', '100', '--env.process_max_failures', '3'];
    const summary = await processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv }));
    expect(summary).toMatchObject({ outcome: 'failed', groupsRejected: { failed: 3 } });
    expect(summary.reason).toMatch(/3 groups in a row failed/u);
  });

  test.each([
    ['setup', { setup: () => Promise.reject(new Error('no data')) }],
    ['getNextItem', { items: undefined, getNextItem: () => Promise.reject(new Error('no data')) }],
  ])('throws what %s threw, after cleaning up', async (_title, changes) => {
    await using folder = await temporaryFolder();
    let cleanups = 0;
    const environment = numbers({
      ...changes,
      cleanup: async () => {
        cleanups += 1;
      },
    });
    await expect(
      processEnvironment(environment, driverOptions(environment, { folder: folder.path })),
    ).rejects.toMatchObject({ cause: { message: 'no data' } });
    expect(cleanups).toBe(1);
  });

  test.each(['text', 7, ['list']])('refuses %j as an item', async (item) => {
    await using folder = await temporaryFolder();
    const environment = numbers({ items: undefined, getNextItem: async () => item as never });
    await expect(
      processEnvironment(environment, driverOptions(environment, { folder: folder.path })),
    ).rejects.toMatchObject({ code: 'task.bad-item' });
  });

  test('tells that its output cannot be opened, and nothing that follows from it', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'file'), '');
    const environment = numbers();
    const argv = ['--env.data_path_to_save_groups', 'file/groups.jsonl'];
    await expect(
      processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv })),
    ).rejects.toMatchObject({ code: 'state.not-writable', message: expect.stringContaining('file') });
  });

  test('refuses a folder that holds another run', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    await processEnvironment(environment, driverOptions(environment, { folder: folder.path }));
    await expect(
      processEnvironment(environment, driverOptions(environment, { folder: folder.path })),
    ).rejects.toMatchObject({ code: 'state.exists' });
  });

  test('refuses unknown toolsets before anything runs', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers({
      setup: async () => {
        throw new Error('must not run');
      },
    });
    const argv = ['--toolsets', 'tset'];
    await expect(
      processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv })),
    ).rejects.toMatchObject({ code: 'config.unknown-toolset' });
  });

  test('refuses an item that asks for an image where there are none, unless that is allowed', async () => {
    const items = [{ id: 'a', number: 0, image: 'debian:12' }];
    for (const [argv, isRefused] of [
      [[], true],
      [['--allow-local'], false],
    ] as const) {
      await using folder = await temporaryFolder();
      const environment = numbers({ items });
      const run = processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv }));
      if (isRefused) await expect(run).rejects.toMatchObject({ code: 'config.local-not-allowed' });
      else expect((await run).outcome).toBe('done');
    }
  });
});

describe('what an environment is given', () => {
  test('a sandbox of its own for each rollout, closed once after the reward', async () => {
    await using folder = await temporaryFolder();
    const order: string[] = [];
    const backend = createFakeBackend({
      open() {
        const sandbox = createFakeSandbox();
        const close = sandbox[Symbol.asyncDispose].bind(sandbox);
        return Object.assign(sandbox, {
          async [Symbol.asyncDispose]() {
            order.push('closed');
            await close();
          },
        });
      },
    });
    const environment = numbers({
      async prepareSandbox({ number }, context) {
        expect(await context.exists('~/note.txt')).toBe(false);
        await context.writeFile('~/note.txt', String(number));
        order.push('prepared');
      },
      async computeReward({ number }, _result, context) {
        expect(context.isCreatedByVerifier).toBe(false);
        order.push('rewarded');
        return (await context.readText('~/note.txt')) === String(number) ? 1 : 0;
      },
    });
    const argv = ['--group-size', '1'];
    const summary = await processEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, argv, changes: { backend } }),
    );
    expect(summary.meanReward).toBe(1);
    expect(order).toEqual([
      'prepared',
      'rewarded',
      'closed',
      'prepared',
      'rewarded',
      'closed',
      'prepared',
      'rewarded',
      'closed',
    ]);
  });

  test('a model whose requests count in the usage of the run', async () => {
    const usage = { promptTokens: 10, completionTokens: 5 };
    const script = () => ({ content: 'x', usage });
    const totals: number[] = [];
    for (const isJudged of [false, true]) {
      await using folder = await temporaryFolder();
      const environment = numbers({
        async computeReward(_item, _result, context) {
          if (isJudged) await context.model.complete({ messages: [{ role: 'user', content: 'Good?' }] });
          return 1;
        },
      });
      const summary = await processEnvironment(
        environment,
        driverOptions(environment, { folder: folder.path, script }),
      );
      totals.push(summary.usage.total_tokens);
    }
    expect(totals).toEqual([6 * 15, 12 * 15]);
  });

  test('a model of its own for each rollout, closed with it', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    const closed: string[] = [];
    const options = driverOptions(environment, { folder: folder.path });
    const summary = await processEnvironment(environment, {
      ...options,
      modelName: 'many',
      model(identity) {
        const model = scriptedModel(obedient, { name: 'many' });
        return Object.assign(model, {
          async [Symbol.asyncDispose]() {
            closed.push(`${identity.item.id}/${identity.sample}`);
          },
        });
      },
    });
    expect(summary).toMatchObject({ model: 'many', meanReward: 1 });
    expect(closed.sort()).toEqual(['n0/0', 'n0/1', 'n1/0', 'n1/1', 'n2/0', 'n2/1']);
  });

  test('random sources that the seed alone decides', async () => {
    const drawn: number[][] = [];
    for (const concurrency of ['1', '3']) {
      await using folder = await temporaryFolder();
      const values = new Map<string, number>();
      const environment = numbers({
        async computeReward(item, _result, context) {
          values.set(`${item.id}/${context.sample}`, context.random('noise')());
          return 1;
        },
      });
      const argv = ['--seed', '7', '--concurrency', concurrency];
      await processEnvironment(environment, driverOptions(environment, { folder: folder.path, argv }));
      drawn.push([...values].sort(([left], [right]) => left.localeCompare(right)).map(([, value]) => value));
    }
    expect(drawn[0]).toEqual(drawn[1]);
    expect(new Set(drawn[0]).size).toBe(6);
  });

  test('rewards with parts, which are averaged in the metrics and stored', async () => {
    await using folder = await temporaryFolder();
    const sink = collectingSink();
    const environment = numbers({
      computeReward: async (_item, _result, context) => ({
        reward: 0.5,
        parts: { style: context.sample },
        metrics: { length: 4 },
        info: { note: 'fine' },
      }),
      trainMetrics: (rollouts) => ({ 'train/count': rollouts.length }),
    });
    const summary = await processEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, changes: { sinks: [sink] } }),
    );
    expect(sink.records[0]?.metrics).toMatchObject({
      'train/reward_part_style': 0.5,
      'train/length': 4,
      'train/count': 2,
    });
    expect(summary.rollouts.map((rollout) => rollout.rewardParts)).toContainEqual({ style: 1 });
  });
});

test('metrics of the environment never take the place of standard ones, nor of each other', async () => {
  await using folder = await temporaryFolder();
  const sink = collectingSink();
  const logger = createMemoryLogger();
  const environment = numbers({
    computeReward: async () => ({
      reward: 1,
      parts: { mean: 0.25, max: 7 },
      metrics: { turns_mean: 99, reward_part_max: 8, length: 4 },
    }),
    trainMetrics: () => ({ 'train/reward_mean': 99, 'train/length': 99, 'train/own': 5 }),
  });
  const changes = { sinks: [sink], logger };
  await processEnvironment(environment, driverOptions(environment, { folder: folder.path, changes }));
  expect(sink.records.map(({ metrics }) => metrics)).toMatchObject(
    Array.from({ length: 3 }, () => ({
      'train/reward_mean': 1,
      'train/reward_max': 1,
      'train/turns_mean': 1,
      'train/reward_part_mean': 0.25,
      'train/reward_part_max': 7,
      'train/length': 4,
      'train/own': 5,
    })),
  );
  const taken = logger.entries.flatMap(({ event, fields }) =>
    event === 'metrics.name-taken' ? [fields?.['name']] : [],
  );
  expect(taken).toEqual(['train/turns_mean', 'train/reward_part_max', 'train/reward_mean', 'train/length']);
});

describe('limits of a rollout', () => {
  test('a reward function that does not end is given up, and its sandbox closed', async () => {
    await using folder = await temporaryFolder();
    const clock = createManualClock();
    const environment = numbers({ computeReward: () => new Promise<number>(() => undefined) });
    const argv = ['--steps', '1', '--group-size', '1', '--rollout-timeout', '100', '--env.max_rollout_retries', '0'];
    const run = processEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, argv, changes: { clock } }),
    );
    let isDone = false;
    const ended = run.then((summary) => {
      isDone = true;
      return summary;
    });
    while (!isDone) await clock.advance(10_000);
    expect((await ended).rollouts).toMatchObject([
      { reward: null, failure: { boundary: 'timeout', code: 'timeout.reward' } },
    ]);
  });

  test('a model that runs out of turns is scored all the same', async () => {
    await using folder = await temporaryFolder();
    const environment = numbers();
    const argv = ['--max-turns', '2'];
    const script = () => callTool('echo', { text: 'again' });
    const summary = await processEnvironment(
      environment,
      driverOptions(environment, { folder: folder.path, argv, script }),
    );
    expect(summary.outcome).toBe('done');
    expect(summary.rollouts[0]).toMatchObject({ stopReason: 'max_turns', reward: 0, turnsUsed: 2, toolCalls: 2 });
  });
});

test('two runs in one process have nothing in common', async () => {
  await using folder = await temporaryFolder();
  const environment = numbers();
  const [first, second] = [createFakeBackend(), createFakeBackend()];
  const script = ({ messages }: { messages: readonly { readonly content: unknown }[] }) =>
    messages.length === 1 ? callTool('touch') : { content: promptNumber(messages) };
  const run = (name: string, backend: typeof first) =>
    processEnvironment(
      environment,
      driverOptions(environment, { folder: join(folder.path, name), script, changes: { backend, registry } }),
    );
  const summaries = await Promise.all([run('a', first), run('b', second)]);
  expect(summaries.map((summary) => summary.meanReward)).toEqual([1, 1]);
  expect([first.sandboxes.length, second.sandboxes.length]).toEqual([6, 6]);
  expect(new Set(summaries.map((summary) => summary.runId)).size).toBe(2);
});
