import { type Failure, type JsonObject, TaskError } from '@talaria/core';
import type { Rollout } from '@talaria/trajectories';
import type { RolloutGroup, RunScope, SampleIdentity } from '../run/run-scope.ts';
import { runRollout } from './run-rollout.ts';
import { summariseRollout } from './summarise-rollout.ts';

/**
 * Runs one sample of an item: again, with a sandbox of its own, as long as the infrastructure fails and attempts are
 * left. Returns the last attempt, or `null` where the run was stopped before there was one.
 * @throws TaskError `task.reward-failed` where `env.on_reward_error` is `fail`
 */
export async function runSample<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  group: RolloutGroup,
  identity: SampleIdentity<Item>,
): Promise<Rollout | null> {
  const { folder, config, stop, environment, tally } = scope;
  const first = folder.lastAttempt(identity) + 1;
  for (let attempt = first; ; attempt += 1) {
    if (stop.workSignal.aborted) return null;
    const rollout = await runRollout(scope, group, { ...identity, attempt });
    if (rollout === null) return null;
    const { failure } = rollout;
    const isLast = attempt - first >= config.env.max_rollout_retries || stop.workSignal.aborted;
    if (failure !== null && rollout.isMasked && !isLast && mayRetry(failure)) {
      scope.logger.warn('rollout.retry', {
        rolloutId: rollout.rolloutId,
        code: failure.code,
        message: failure.message,
      });
      continue;
    }
    tally.countSample(summariseRollout(environment, identity.item, rollout, false));
    if (failure?.boundary === 'grader' && config.env.on_reward_error === 'fail') throw rewardFailed(rollout, failure);
    return rollout;
  }
}

/** Failures of a sandbox itself, which another one need not have; the others are of paths and commands. */
const brokenSandboxCodes: ReadonlySet<string> = new Set([
  'sandbox.closed',
  'sandbox.expired',
  'sandbox.failed',
  'sandbox.integrity',
  'sandbox.lost',
  'sandbox.no-space',
  'sandbox.timeout',
]);

/**
 * Whether another attempt may go better. A request that the endpoint refuses will be refused again, and a function of the
 * environment that throws by itself will throw again: a second rollout would be paid for nothing.
 */
function mayRetry(failure: Failure): boolean {
  return failure.retryable || brokenSandboxCodes.has(failure.code);
}

function rewardFailed(rollout: Rollout, failure: Failure): TaskError {
  return new TaskError(`The reward function failed on item ${rollout.itemKey}: ${failure.message}`, {
    code: 'task.reward-failed',
    hint: 'Mend the reward function, or let such rollouts be left out: --env.on_reward_error drop.',
  });
}
