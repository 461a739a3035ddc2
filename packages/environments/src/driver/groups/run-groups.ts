import { errorMessage, isAbortOf, type JsonObject } from '@talaria/core';
import type { Rollout } from '@talaria/trajectories';
import { returnedMetrics, withOwnMetrics, withPrefix } from '../metrics/own-metrics.ts';
import { logMetrics, type Metrics, rolloutMetrics, sandboxMetrics } from '../metrics/rollout-metrics.ts';
import { toEvaluatedRollout } from '../rollout/summarise-rollout.ts';
import { errorStack } from '../run/error-stack.ts';
import type { RunScope } from '../run/run-scope.ts';
import { tellPlan } from '../run/tell-plan.ts';
import type { GroupCounts } from './group-counts.ts';
import { type GroupJudgement, judgeGroup } from './group-judgement.ts';
import type { GroupOutput } from './group-output.ts';
import { createItemFeed, type FedItem } from './item-feed.ts';
import { runGroup } from './run-group.ts';

/** How the making of groups ended. */
export interface GroupsEnding {
  /** Whether all groups that were wanted, or all that the items allow, are decided. */
  readonly isComplete: boolean;
  /** Set where it was given up. */
  readonly reason: string | null;
}

/** Makes groups, `env.process_concurrency` at a time, until there are enough, or no more items, or too many failures. */
export async function runGroups<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  counts: GroupCounts,
  output: GroupOutput | null,
): Promise<GroupsEnding> {
  const { stop, tally } = scope;
  const { total_steps: wanted, exact: isExact, process_concurrency: concurrency } = scope.config.env;
  const feed = createItemFeed(scope);
  let begun = 0;
  let running = 0;
  let isExhausted = false;
  let reason: string | null = null;

  function isEnough(): boolean {
    return isExact ? counts.accepted + running >= wanted : begun >= wanted;
  }

  async function decide(fed: FedItem<Item>): Promise<void> {
    const rollouts = await runGroup(scope, fed);
    if (rollouts === null) return;
    await decideGroup(scope, fed.item, rollouts, counts, output);
    reason ??= giveUpReason(scope, counts);
    if (reason !== null) stop.stop(reason);
  }

  async function work(): Promise<void> {
    while (!stop.workSignal.aborted && !isExhausted && !isEnough()) {
      begun += 1;
      running += 1;
      try {
        await scope.turnstile.pass();
        const fed = await feed.next();
        if (fed === null) isExhausted = true;
        else await decide(fed);
      } catch (error) {
        if (!isAbortOf(error, stop.workSignal)) scope.fail(error);
      } finally {
        running -= 1;
      }
    }
  }

  tellPlan(scope, { groups: wanted, groupSize: scope.config.env.group_size });
  tally.setItemsTotal(wanted);
  tally.setPhase('running');
  await Promise.all(Array.from({ length: Math.min(concurrency, wanted) }, work));
  const decided = counts.accepted + counts.rejectedTotal;
  return { isComplete: isExhausted || (isExact ? counts.accepted : decided) >= wanted, reason };
}

async function decideGroup<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  item: Item,
  rollouts: readonly Rollout[],
  counts: GroupCounts,
  output: GroupOutput | null,
): Promise<void> {
  const { config, tally, logger } = scope;
  const judgement = judgeGroup(rollouts, { ensureScoresDiffer: config.env.ensure_scores_are_not_same });
  if (judgement.isAccepted) await output?.write(rollouts);
  else logger.warn('group.rejected', { itemKey: rollouts[0]?.itemKey, reason: judgement.reason });
  await scope.turnstile.pass();
  counts.count(judgement);
  tally.countItem();
  const standard = {
    ...rolloutMetrics(rollouts, 'train'),
    ...groupMetrics(rollouts, judgement, counts),
    ...sandboxMetrics(scope),
  };
  const own = [...returnedMetrics(rollouts, 'train'), withPrefix(ownMetrics(scope, item, rollouts), 'train')];
  logMetrics(scope, counts.accepted + counts.rejectedTotal, withOwnMetrics(scope, standard, own).all);
}

function groupMetrics(rollouts: readonly Rollout[], judgement: GroupJudgement, counts: GroupCounts): Metrics {
  const metrics: Metrics = {
    'train/group_accepted': judgement.isAccepted ? 1 : 0,
  };
  if (rollouts.every(({ reward }) => reward !== null)) {
    metrics['train/group_same_score_rate'] = rollouts.every(({ reward }) => reward === rollouts[0]?.reward) ? 1 : 0;
  }
  for (const [reason, count] of Object.entries(counts.rejected)) metrics[`train/rejected_${reason}`] = count;
  return metrics;
}

function ownMetrics<Item extends JsonObject, Config>(
  { environment, context, logger }: RunScope<Item, Config>,
  item: Item,
  rollouts: readonly Rollout[],
): Readonly<Record<string, number>> {
  try {
    const evaluated = rollouts.map((rollout) => toEvaluatedRollout(item, rollout));
    return environment.trainMetrics?.(evaluated, context) ?? {};
  } catch (error) {
    logger.warn('metrics.environment-failed', {
      environment: environment.name,
      message: errorMessage(error),
      stack: errorStack(error),
    });
    return {};
  }
}

/** Why it makes no sense to go on; `null` where it does. */
function giveUpReason<Item extends JsonObject, Config>(
  { config }: RunScope<Item, Config>,
  counts: GroupCounts,
): string | null {
  const { exact: isExact, process_max_failures: limit } = config.env;
  if (counts.failedInARow >= limit) return `${counts.failedInARow} groups in a row failed (env.process_max_failures)`;
  // A replacement for every rejected group would never end where all are rejected.
  if (isExact && counts.rejectedInARow >= limit) {
    return `${counts.rejectedInARow} groups in a row were left out (env.process_max_failures)`;
  }
  return null;
}
