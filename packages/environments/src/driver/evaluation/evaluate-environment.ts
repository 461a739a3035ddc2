import { join } from 'node:path';
import { errorMessage, isAbortOf, type JsonObject, mapConcurrent, TaskError } from '@talaria/core';
import { createItemKeys } from '@talaria/run-store';
import type { Rollout } from '@talaria/trajectories';
import type { EnvironmentConfig } from '../../configuration/environment-config.ts';
import type { Environment, EvaluatedRollout } from '../../environment.ts';
import { checkItem, type FedItem } from '../groups/item-feed.ts';
import { readEarlierRollouts, runOrResumeSample } from '../groups/run-group.ts';
import { returnedMetrics, withOwnMetrics, withPrefix } from '../metrics/own-metrics.ts';
import { logMetrics, sandboxMetrics } from '../metrics/rollout-metrics.ts';
import { writePage } from '../output/trajectory-page.ts';
import { toEvaluatedRollout } from '../rollout/summarise-rollout.ts';
import { callEnvironment } from '../run/call-environment.ts';
import { cleanUpEnvironment } from '../run/clean-up-environment.ts';
import type { DriverOptions } from '../run/driver-options.ts';
import { errorStack } from '../run/error-stack.ts';
import { openRun } from '../run/open-run.ts';
import type { RunScope } from '../run/run-scope.ts';
import { type RunOutcome, type RunSummary, summariseRun } from '../run/run-summary.ts';
import { setUp } from '../run/set-up.ts';
import { tellPlan } from '../run/tell-plan.ts';
import { openResultFolder, writeResults } from './evaluation-files.ts';
import { type EvaluationMetrics, evaluationMetrics } from './evaluation-metrics.ts';
import { openSampleOutput, type SampleOutput } from './sample-output.ts';

/** Options of {@link evaluateEnvironment}. */
export interface EvaluateOptions<Item extends JsonObject = JsonObject, Config = EnvironmentConfig>
  extends DriverOptions<Item, Config> {
  /** Evaluate only the first so many items. @default all */
  readonly maxItems?: number | undefined;
}

/** What {@link evaluateEnvironment} found. */
export interface EvaluationSummary extends RunSummary {
  /** Standard metrics and the environment's own, `eval/…`. */
  readonly metrics: Readonly<Record<string, number | string>>;
  /** Those of `metrics` that the environment adds: parts and metrics of its rewards, and what its `evaluate` returns. */
  readonly ownMetrics: Readonly<Record<string, number | string>>;
  readonly itemsTotal: number;
  /** Items whose every rollout is scored. */
  readonly itemsScored: number;
  /** Rollouts that the infrastructure or the grader failed; no failures of the model. */
  readonly errors: number;
  /** Absolute folder of `metrics.json`, `samples.jsonl` and `evaluate_config.yaml`. */
  readonly outputFolder: string;
  /** Absolute path of the page that shows the samples; `null` where there is none. */
  readonly htmlPath: string | null;
}

/**
 * Evaluates a model: runs every item of `evalItems` through the same loop and reward as training, and writes
 * `metrics.json`, `samples.jsonl` with a page that shows it, and `evaluate_config.yaml`, into `env.data_dir_to_save_evals` or else the run folder.
 * @throws ConfigError before anything runs; StateError where the run folder or an output cannot be used; what the
 * environment's own functions throw outside of rollouts; ModelError where the endpoint refuses everything
 */
export async function evaluateEnvironment<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
  options: EvaluateOptions<Item, Config>,
): Promise<EvaluationSummary> {
  await using run = await openRun(environment, options, 'evaluate');
  const { scope } = run;
  const outputFolder = await openResultFolder(scope);
  await using samples = await openSampleOutput(scope.folder, join(outputFolder, 'samples.jsonl'), scope.logger);
  const startedAt = scope.clock.now();
  let items: readonly FedItem<Item>[] = [];
  const done: DoneSample<Item>[] = [];
  try {
    await setUp(scope);
    items = await readItems(scope, options.maxItems);
    await runSamples(scope, items, samples, done);
  } catch (error) {
    if (!isAbortOf(error, scope.stop.workSignal)) scope.fail(error);
  }
  scope.tally.setPhase('finishing');
  const isPartial = done.length < items.length * scope.config.env.eval_samples || items.length === 0;
  const rollouts = done.map(({ rollout }) => rollout);
  const measured = evaluationMetrics(rollouts, scope.config.env.eval_samples);
  const returned = [...returnedMetrics(rollouts, 'eval'), withPrefix(await ownMetrics(scope, done), 'eval')];
  const { all: metrics, own } = withOwnMetrics(scope, measured.metrics, returned);
  await writeResults(scope, { outputFolder, metrics, isPartial, startedAt });
  logMetrics(scope, scope.tally.summaries.length, { ...metrics, ...sandboxMetrics(scope) });
  const htmlPath = await writePage(scope, samples, 'sample');
  await cleanUpEnvironment(scope);
  if (run.failure !== undefined) throw run.failure.error;
  return {
    ...summariseRun(run, ...judgeRun(scope, measured, isPartial)),
    metrics,
    ownMetrics: own,
    itemsTotal: items.length,
    itemsScored: measured.itemsScored,
    errors: measured.errors,
    outputFolder,
    htmlPath,
  };
}

interface DoneSample<Item extends JsonObject> {
  readonly item: Item;
  readonly rollout: Rollout;
}

async function readItems<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  maxItems: number | undefined,
): Promise<readonly FedItem<Item>[]> {
  const { environment, context, stop } = scope;
  const { readEvaluation } = scope.items;
  if (readEvaluation === undefined) {
    throw new TaskError(`${environment.name} has no items to evaluate`, {
      code: 'task.no-eval-items',
      hint: 'Give it evalItems: a list, or a function that returns one.',
    });
  }
  const items = await callEnvironment({
    environmentName: environment.name,
    method: 'evalItems',
    call: () => readEvaluation(context),
    signal: stop.workSignal,
  });
  if (!Array.isArray(items)) {
    throw new TaskError(`evalItems of ${environment.name} gave ${typeof items}, which is no list`, {
      code: 'task.bad-item',
      hint: 'Return an array of items.',
    });
  }
  for (const item of items) checkItem(environment.name, item);
  const keys = createItemKeys();
  return items.slice(0, maxItems).map((item, groupIndex) => ({ item, itemKey: keys.next(item), groupIndex }));
}

/** Runs every sample of every item, as many at a time as the configuration says. */
async function runSamples<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  items: readonly FedItem<Item>[],
  output: SampleOutput,
  done: DoneSample<Item>[],
): Promise<void> {
  const { stop, tally } = scope;
  const { eval_samples: sampleCount, eval_concurrency: concurrency, max_eval_workers: workers } = scope.config.env;
  tellPlan(scope, { groups: items.length, groupSize: sampleCount });
  tally.setItemsTotal(items.length);
  tally.setPhase('running');
  const tasks = items.flatMap((fed) => Array.from({ length: sampleCount }, (_, sample) => ({ fed, sample })));
  const missing = new Map(items.map((fed) => [fed.itemKey, sampleCount]));

  async function runTask({ fed, sample }: (typeof tasks)[number]): Promise<void> {
    try {
      const earlier = await readEarlierRollouts(scope, fed.itemKey);
      const rollout = await runOrResumeSample(scope, fed, sample, earlier);
      if (rollout === null) return;
      await output.write(rollout);
      // Conversations are on disk; what is measured later needs none.
      done.push({ item: fed.item, rollout: { ...rollout, messages: [], tools: [] } });
      const left = (missing.get(fed.itemKey) ?? 1) - 1;
      missing.set(fed.itemKey, left);
      if (left === 0) tally.countItem();
    } catch (error) {
      if (!isAbortOf(error, stop.workSignal)) scope.fail(error);
    }
  }

  await mapConcurrent(tasks, concurrency === 0 ? workers : concurrency, runTask, { signal: stop.workSignal });
}

async function ownMetrics<Item extends JsonObject, Config>(
  { environment, context, logger }: RunScope<Item, Config>,
  done: readonly DoneSample<Item>[],
): Promise<Readonly<Record<string, number | string>>> {
  try {
    const evaluated: readonly EvaluatedRollout<Item>[] = done.map(({ item, rollout }) =>
      toEvaluatedRollout(item, rollout),
    );
    return (await environment.evaluate?.(evaluated, context)) ?? {};
  } catch (error) {
    logger.warn('metrics.environment-failed', {
      environment: environment.name,
      message: errorMessage(error),
      stack: errorStack(error),
    });
    return {};
  }
}

function judgeRun<Item extends JsonObject, Config>(
  { stop }: RunScope<Item, Config>,
  { errors, samples }: EvaluationMetrics,
  isPartial: boolean,
): readonly [RunOutcome, string | null] {
  if (stop.isInterrupted && isPartial) return ['interrupted', `Stopped after ${samples} samples`];
  if (samples === 0) return ['failed', 'There were no items to evaluate'];
  if (errors === 0) return ['done', null];
  return [errors === samples ? 'failed' : 'partial', `${errors} of ${samples} samples could not be scored`];
}
