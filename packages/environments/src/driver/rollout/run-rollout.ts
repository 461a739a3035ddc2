import type { JsonObject } from '@talaria/core';
import type { Rollout, SamplingSettings } from '@talaria/trajectories';
import type { EnvironmentConfig } from '../../configuration/environment-config.ts';
import type { RolloutIdentity } from '../run/driver-options.ts';
import type { RolloutGroup, RunScope } from '../run/run-scope.ts';
import { holdConversation } from './hold-conversation.ts';
import { judgeRollout } from './judge-rollout.ts';
import { openAttempt, type RolloutAttempt } from './rollout-attempt.ts';
import { toRollout } from './rollout-record.ts';

/**
 * Runs one attempt at a rollout from its sandbox to its record, and makes the record durable before anybody hears of it.
 * Whatever goes wrong in it is in the record. `null` where the run was stopped: then nothing is left of it.
 * @throws StateError where the record cannot be stored
 */
export async function runRollout<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  group: RolloutGroup,
  identity: RolloutIdentity<Item>,
): Promise<Rollout | null> {
  const rolloutId = scope.createId('rollout');
  scope.tally.changeRunning(1);
  try {
    await scope.turnstile.pass();
    const done = await playRollout(scope, group, identity, rolloutId);
    if (done === null) return null;
    const { rollout, emit } = done;
    await scope.folder.appendRollout(rollout);
    await scope.turnstile.pass();
    scope.tally.countAttempt(rollout);
    const { stopReason, reward, failure, timing } = rollout;
    emit({ type: 'rollout-end', stopReason, reward, failure, durationMs: timing.durationMs });
    return rollout;
  } finally {
    scope.tally.changeRunning(-1);
  }
}

interface PlayedRollout {
  readonly rollout: Rollout;
  readonly emit: RolloutAttempt<JsonObject, unknown>['emit'];
}

async function playRollout<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  group: RolloutGroup,
  identity: RolloutIdentity<Item>,
  rolloutId: string,
): Promise<PlayedRollout | null> {
  const { clock, folder, environment } = scope;
  const startedAt = clock.now();
  const startedAtMs = clock.monotonicMs();
  await using attempt = openAttempt(scope, group, identity, rolloutId);
  const { emit } = attempt;
  emit({ type: 'rollout-start', environment: environment.name, itemKey: identity.itemKey, sample: identity.sample });
  const conversation = await holdConversation(attempt, startedAtMs);
  const rewardStartedAtMs = clock.monotonicMs();
  const verdict = await judgeRollout(attempt, conversation, startedAtMs);
  if (verdict === null) {
    const durationMs = clock.monotonicMs() - startedAtMs;
    emit({ type: 'rollout-end', stopReason: 'aborted', reward: null, failure: null, durationMs });
    return null;
  }
  const endedAtMs = clock.monotonicMs();
  const rollout = toRollout({
    rolloutId,
    runId: folder.runId,
    groupId: group.groupId,
    environment: environment.name,
    model: attempt.model.name,
    identity,
    view: group.view,
    result: conversation.kind === 'ended' ? conversation.result : null,
    verdict,
    sampling: samplingOf(scope.config.env),
    startedAt,
    endedAt: clock.now(),
    durationMs: endedAtMs - startedAtMs,
    rewardMs: endedAtMs - rewardStartedAtMs,
    versions: scope.options.versions,
  });
  return { rollout, emit };
}

function samplingOf(env: EnvironmentConfig): SamplingSettings {
  return { temperature: env.agent_temperature, maxTokens: env.max_token_length, extraBody: env.extra_body };
}
