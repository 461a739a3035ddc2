import { isAbortOf, type JsonObject, mapConcurrent } from '@talaria/core';
import type { Rollout } from '@talaria/trajectories';
import { runSample } from '../rollout/run-sample.ts';
import { summariseRollout } from '../rollout/summarise-rollout.ts';
import type { RunScope } from '../run/run-scope.ts';
import type { FedItem } from './item-feed.ts';

/** The records that an earlier part of the run left of an item; empty in a new run. */
export async function readEarlierRollouts<Item extends JsonObject, Config>(
  { folder, stop }: RunScope<Item, Config>,
  itemKey: string,
): Promise<readonly Rollout[]> {
  return folder.isResumed ? folder.rolloutsOf(itemKey, { signal: stop.workSignal }) : [];
}

/**
 * Runs one sample, or takes what an earlier part of the run made of it. `null` where the run was stopped first.
 */
export async function runOrResumeSample<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  fed: FedItem<Item>,
  sample: number,
  earlier: readonly Rollout[],
): Promise<Rollout | null> {
  const { environment, tally, split, chooseTools } = scope;
  const { item, itemKey, groupIndex } = fed;
  const done = earlier.find((rollout) => rollout.sample === sample && rollout.reward !== null);
  for (const rollout of earlier) if (rollout.sample === sample) tally.countAttempt(rollout);
  if (done !== undefined) {
    tally.countSample(summariseRollout(environment, item, done, true));
    return done;
  }
  const group = { groupId: groupIdOf(scope, groupIndex), view: chooseTools(groupIndex, item) };
  return runSample(scope, group, { item, itemKey, groupIndex, sample, split });
}

/** The same in every part of a run, so that a line is never written twice. */
function groupIdOf<Item extends JsonObject, Config>({ folder }: RunScope<Item, Config>, groupIndex: number): string {
  return `${folder.runId}-g${groupIndex}`;
}

/**
 * Runs all samples of an item at the same time. `null` where the run was stopped before all were done; those that were
 * are durable all the same.
 */
export async function runGroup<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  fed: FedItem<Item>,
): Promise<readonly Rollout[] | null> {
  const earlier = await readEarlierRollouts(scope, fed.itemKey);
  const { group_size: size } = scope.config.env;
  const samples = Array.from({ length: size }, (_, sample) => sample);
  const rollouts = await mapConcurrent(samples, size, async (sample) => {
    try {
      return await runOrResumeSample(scope, fed, sample, earlier);
    } catch (error) {
      // At once, not when the siblings are done: they are stopped by it.
      if (!isAbortOf(error, scope.stop.workSignal)) scope.fail(error);
      throw error;
    }
  });
  const done = rollouts.filter((rollout) => rollout !== null);
  return done.length === size ? done : null;
}
