import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { scriptedModel } from '@talaria/model-client/testing';
import { createFakeBackend } from '@talaria/terminal-backends/testing';
import { type Benchmark, measureSpawnMs } from '@talaria/testing-services/bench';
import { createToolRegistry, defineTool } from '@talaria/tools';
import { defineEnvironment, processEnvironment, resolveRunConfig } from '../src/index.ts';

/** Model calls of each rollout. */
const turnsPerRollout = 10;
const answerDelayMs = 20;

interface Measured {
  readonly durationMs: number;
  readonly delayP99Ms: number;
  readonly residentMiB: number;
}

const environment = defineEnvironment({
  name: 'bench',
  isLocalSafe: true,
  items: Array.from({ length: 1000 }, (_, number) => ({ number })),
  formatPrompt: ({ number }) => `Count to ${number}.`,
  computeReward: async () => 1,
});

const registry = createToolRegistry({
  tools: [
    defineTool({
      name: 'count',
      description: 'Counts on.',
      parameters: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
      toolset: 'bench',
      sideEffect: 'none',
      execute: async (args) => ({ next: Number(args['number']) + 1 }),
    }),
  ],
});

/** Runs so many rollouts at the same time, with the journal on and no sandbox opened. */
async function measure(rollouts: number): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'talaria-bench-'));
  const { config } = resolveRunConfig({
    environment,
    driver: 'process',
    variables: {},
    argv: ['--steps', `${rollouts}`, '--concurrency', `${rollouts}`, '--group-size', '1', '--max-turns', '20'],
  });
  const model = scriptedModel(
    ({ messages }) => {
      const turn = (messages.length + 1) / 2;
      if (turn >= turnsPerRollout) return { content: 'done', delayMs: answerDelayMs };
      return { toolCalls: [{ name: 'count', arguments: { number: turn } }], delayMs: answerDelayMs };
    },
    { keepsRequests: false },
  );
  const delay = monitorEventLoopDelay({ resolution: 5 });
  let residentBytes = 0;
  const sampling = setInterval(() => {
    residentBytes = Math.max(residentBytes, process.memoryUsage.rss());
  }, 20);
  try {
    delay.enable();
    const startedAt = performance.now();
    const summary = await processEnvironment(environment, {
      config,
      model,
      backend: createFakeBackend(),
      registry,
      baseFolder: folder,
      runFolder: join(folder, 'run'),
      versions: { talaria: '0.0.0', node: process.version },
    });
    const durationMs = performance.now() - startedAt;
    delay.disable();
    if (summary.groupsAccepted !== rollouts) throw new Error(`Only ${summary.groupsAccepted} of ${rollouts} were done`);
    return { durationMs, delayP99Ms: delay.percentile(99) / 1e6, residentMiB: residentBytes / 1024 / 1024 };
  } finally {
    clearInterval(sampling);
    await rm(folder, { recursive: true });
  }
}

/** Delay of an event loop that has nothing to do: above 0 where other programs want the processor. */
async function measureIdleDelay(): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  delay.disable();
  return delay.percentile(99) / 1e6;
}

/** What a thousand rollouts at the same time cost: memory, a responsive event loop, turns per time, growth. */
export const benchmark: Benchmark = {
  name: 'rollouts',
  async run() {
    const spawnMs = await measureSpawnMs();
    const idleP99Ms = await measureIdleDelay();
    await measure(100);
    const hundred = await measure(100);
    const thousand = await measure(1000);
    const turnsPerSpawn = (1000 * turnsPerRollout * spawnMs) / thousand.durationMs;
    return [
      {
        name: '1,000 rollouts of 10 turns: resident memory',
        measured: thousand.residentMiB,
        unit: 'MiB',
        limit: { kind: 'at most', value: 512 },
      },
      {
        name: '1,000 rollouts of 10 turns: event-loop delay, p99',
        measured: thousand.delayP99Ms,
        unit: 'ms',
        limit: { kind: 'at most', value: 50 },
        note: `${idleP99Ms.toFixed(1)} ms of an idle loop just before: what the machine itself takes`,
      },
      {
        name: '1,000 rollouts of 10 turns: turns per spawn of wall time',
        measured: turnsPerSpawn,
        unit: 'turns',
        limit: { kind: 'at least', value: 3 },
        note: `${Math.round(thousand.durationMs)} ms, ${Math.round(1e7 / thousand.durationMs)} turns a second`,
      },
      {
        name: 'from 100 to 1,000 rollouts: time per rollout, ratio',
        measured: thousand.durationMs / 1000 / (hundred.durationMs / 100),
        unit: 'ratio',
        limit: { kind: 'at most', value: 1.2 },
        note: `${Math.round(hundred.durationMs)} ms for 100`,
      },
    ];
  },
};
