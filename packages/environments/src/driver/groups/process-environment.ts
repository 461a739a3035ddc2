import { resolve } from 'node:path';
import { isAbortOf, type JsonObject } from '@talaria/core';
import type { EnvironmentConfig } from '../../configuration/environment-config.ts';
import type { Environment } from '../../environment.ts';
import { writePage } from '../output/trajectory-page.ts';
import { cleanUpEnvironment } from '../run/clean-up-environment.ts';
import type { DriverOptions } from '../run/driver-options.ts';
import { openRun } from '../run/open-run.ts';
import type { RunScope } from '../run/run-scope.ts';
import { type RunOutcome, type RunSummary, summariseRun } from '../run/run-summary.ts';
import { setUp } from '../run/set-up.ts';
import { createGroupCounts, describeRejected, type GroupCounts } from './group-counts.ts';
import type { RejectReason } from './group-judgement.ts';
import { type GroupOutput, openGroupOutput } from './group-output.ts';
import { type GroupsEnding, runGroups } from './run-groups.ts';

/** Options of {@link processEnvironment}. */
export interface ProcessOptions<Item extends JsonObject = JsonObject, Config = EnvironmentConfig>
  extends DriverOptions<Item, Config> {
  /** What a line of the output is: a group in upstream's shape, or one rollout with its reward. @default 'group' */
  readonly rows?: 'group' | 'rollout' | undefined;
}

/** What {@link processEnvironment} did. */
export interface ProcessSummary extends RunSummary {
  readonly groupsAccepted: number;
  /** Groups that were left out, by reason: `failed`, `invalid`, `same_scores`. */
  readonly groupsRejected: Readonly<Partial<Record<RejectReason, number>>>;
  /** Absolute path of the JSONL file; `null` where no group was accepted. */
  readonly outputPath: string | null;
  /** Absolute path of the page that shows it; `null` where there is none. */
  readonly htmlPath: string | null;
}

/**
 * Makes scored trajectories: asks the environment for items, runs a group of rollouts on each, and writes accepted groups
 * as JSONL, with an HTML page beside. Every rollout is durable in the run folder before it is reported. A resumed run asks
 * for its items again from the first on, and runs only what is missing.
 * @throws ConfigError before anything runs; StateError where the run folder or an output cannot be used; what the
 * environment's own functions throw outside of rollouts; ModelError where the endpoint refuses everything
 */
export async function processEnvironment<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
  options: ProcessOptions<Item, Config>,
): Promise<ProcessSummary> {
  await using run = await openRun(environment, options, 'process');
  const { scope } = run;
  await using output = await openOutput(scope, options);
  const counts = createGroupCounts();
  let ending: GroupsEnding = { isComplete: false, reason: null };
  try {
    await setUp(scope);
    ending = await runGroups(scope, counts, output);
  } catch (error) {
    if (!isAbortOf(error, scope.stop.workSignal)) scope.fail(error);
  }
  scope.tally.setPhase('finishing');
  const htmlPath = output === null ? null : await writePage(scope, output, options.rows ?? 'group');
  await cleanUpEnvironment(scope);
  if (run.failure !== undefined) throw run.failure.error;
  return {
    ...summariseRun(run, ...judgeRun(scope, counts, ending)),
    groupsAccepted: counts.accepted,
    groupsRejected: counts.rejected,
    outputPath: output?.path ?? null,
    htmlPath,
  };
}

async function openOutput<Item extends JsonObject, Config>(
  { folder, config, logger }: RunScope<Item, Config>,
  options: ProcessOptions<Item, Config>,
): Promise<GroupOutput | null> {
  const path = config.env.data_path_to_save_groups;
  if (path === null) return null;
  return openGroupOutput({ folder, path: resolve(options.baseFolder, path), rows: options.rows ?? 'group', logger });
}

function judgeRun<Item extends JsonObject, Config>(
  { stop, config, environment }: RunScope<Item, Config>,
  counts: GroupCounts,
  ending: GroupsEnding,
): readonly [RunOutcome, string | null] {
  const decided = counts.accepted + counts.rejectedTotal;
  if (ending.reason !== null) return ['failed', ending.reason];
  if (stop.isInterrupted && !ending.isComplete) {
    return ['interrupted', `Stopped after ${decided} of ${config.env.total_steps} groups`];
  }
  if (decided === 0) return ['failed', `There were no items: ${environment.name} gave none`];
  if (config.env.exact && counts.accepted < config.env.total_steps) {
    return ['partial', `There were items for ${counts.accepted} of ${config.env.total_steps} groups only`];
  }
  if (counts.rejectedTotal === 0 || config.env.exact) return ['done', null];
  const reason = `${counts.rejectedTotal} of ${decided} groups were left out: ${describeRejected(counts)}`;
  return [counts.accepted === 0 && counts.rejected.failed === decided ? 'failed' : 'partial', reason];
}
