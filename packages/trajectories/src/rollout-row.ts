import type { JsonObject } from '@talaria/core';
import { asJsonObject } from './as-json-object.ts';
import { finalAnswer, firstPrompt } from './final-answer.ts';
import { itemIdOf } from './item-id.ts';
import type { Rollout } from './rollout.ts';

/**
 * One rollout as a row of a table: one line per trajectory with its reward and metadata. Every row has the same
 * columns, in the same order, of the same types, so that column loaders infer one schema; what has no fixed shape is
 * JSON text, in a column whose name ends in `_json`. `reward`, `cost_usd`, `failure_kind` and `error` may be null.
 */
export function toRolloutRow(rollout: Rollout): JsonObject {
  return {
    rollout_id: rollout.rolloutId,
    run_id: rollout.runId,
    group_id: rollout.groupId,
    group_index: rollout.groupIndex,
    sample: rollout.sample,
    attempt: rollout.attempt,
    item_id: itemIdOf(rollout),
    env: rollout.environment,
    split: rollout.split,
    model: rollout.model,
    reward: rollout.reward,
    rewards_json: JSON.stringify(rollout.rewardParts),
    metrics_json: JSON.stringify(rollout.metrics),
    status: rollout.status,
    stop_reason: rollout.stopReason,
    finished_naturally: rollout.finishedNaturally,
    mask_sample: rollout.isMasked,
    failure_kind: rollout.failure?.boundary ?? null,
    error: rollout.failure?.message ?? null,
    turns_used: rollout.turnsUsed,
    tool_calls: rollout.turns.reduce((sum, turn) => sum + turn.toolCalls.length, 0),
    tool_errors: rollout.toolErrors.length,
    prompt_tokens: rollout.usage.prompt_tokens,
    completion_tokens: rollout.usage.completion_tokens,
    cost_usd: rollout.costUsd,
    started_at: new Date(rollout.timing.startedAt).toISOString(),
    duration_ms: Math.round(rollout.timing.durationMs),
    prompt: firstPrompt(rollout.messages),
    response: finalAnswer(rollout.messages),
    messages: rollout.messages.map(asJsonObject),
    tools_json: JSON.stringify(rollout.tools),
    toolsets: rollout.toolsets,
    item_json: JSON.stringify(rollout.item),
    info_json: JSON.stringify(rollout.info),
  };
}
