import { type ChatMessage, type JsonObject, StateError } from '@talaria/core';
import { asJsonObject } from './as-json-object.ts';
import { itemIdOf } from './item-id.ts';
import type { Rollout, TokenBranch } from './rollout.ts';
import { encodeToolError } from './rollout-codec.ts';

/** What a group line can say beyond its rollouts. What is absent is `null` in the line. */
export interface GroupLineOptions {
  /** For the whole group, for example `{ group_size: 8 }`. */
  readonly groupOverrides?: JsonObject | undefined;
  /** One entry per rollout. */
  readonly overrides?: readonly JsonObject[] | undefined;
}

/** Where no loss is computed. */
const maskedPosition = -100;

/** What stands for the log-probability of a token that the model did not sample. */
const maskedLogprob = 1;

interface TokenRow {
  readonly tokens: readonly number[];
  readonly masks: readonly number[];
  /** `null` where the engine gave none. */
  readonly logprobs: readonly number[] | null;
  readonly isPlaceholder: boolean;
}

/**
 * One group as a line of the file that Atropos writes and reads (`data_path_to_save_groups`), with `meta` beside its
 * fields. The same rollouts give the same line, whenever it is made.
 *
 * Tokens are the engine's where it gave them: the last branch of each rollout. Otherwise each row is one masked
 * placeholder, so that nothing in it can be trained on, and `meta.placeholder_tokens` says so.
 *
 * @throws StateError `state.empty-group`, and `state.unscored-rollout` where a reward is missing
 */
export function toGroupLine(rollouts: readonly Rollout[], options: GroupLineOptions = {}): JsonObject {
  const [first] = rollouts;
  if (first === undefined) {
    throw new StateError('A group line needs at least one rollout', {
      code: 'state.empty-group',
      hint: 'Leave empty groups out.',
    });
  }
  const rows = rollouts.map((rollout) => toTokenRow(rollout.branches?.at(-1)));
  return {
    tokens: rows.map((row) => row.tokens),
    masks: rows.map((row) => row.masks),
    scores: rollouts.map(scoreOf),
    advantages: null,
    ref_logprobs: null,
    messages: rollouts.map((rollout) => rollout.messages.map(toTrainerMessage)),
    group_overrides: options.groupOverrides ?? null,
    overrides: options.overrides ?? null,
    images: null,
    distill_token_ids: null,
    distill_logprobs: null,
    generation_params: toGenerationParameters(first),
    inference_logprobs: toInferenceLogprobs(rows),
    meta: toGroupMeta(
      first,
      rollouts,
      rows.some((row) => row.isPlaceholder),
    ),
  };
}

function toTokenRow(branch: TokenBranch | undefined): TokenRow {
  if (branch === undefined || branch.tokenIds.length === 0) {
    return { tokens: [0], masks: [maskedPosition], logprobs: null, isPlaceholder: true };
  }
  return {
    tokens: branch.tokenIds,
    masks: branch.tokenIds.map((tokenId, position) => (branch.mask[position] === 1 ? tokenId : maskedPosition)),
    logprobs: toRowLogprobs(branch),
    isPlaceholder: false,
  };
}

/** An unknown log-probability of a sampled token has no number that could stand for it: then the row has none at all. */
function toRowLogprobs(branch: TokenBranch): number[] | null {
  const logprobs: number[] = [];
  for (const [position, mask] of branch.mask.entries()) {
    const logprob = mask === 1 ? branch.logprobs[position] : maskedLogprob;
    if (logprob === null || logprob === undefined) return null;
    logprobs.push(logprob);
  }
  return logprobs;
}

function toInferenceLogprobs(rows: readonly TokenRow[]): (readonly number[])[] | null {
  const known = rows.flatMap((row) => (row.logprobs === null ? [] : [row.logprobs]));
  return known.length === rows.length ? known : null;
}

function scoreOf(rollout: Rollout): number {
  if (rollout.reward !== null) return rollout.reward;
  throw new StateError(`Rollout ${rollout.rolloutId} of group ${rollout.groupId} has no reward`, {
    code: 'state.unscored-rollout',
    hint: 'Leave groups out in which a rollout was not scored.',
  });
}

/** Trainers join contents as text: where there is none they are given `''`, never `null`. */
function toTrainerMessage(message: ChatMessage): JsonObject {
  return { ...asJsonObject(message), content: toContent(message) };
}

function toContent(message: ChatMessage): string | JsonObject[] {
  if (message.content === null) return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.map(asJsonObject);
}

function toGenerationParameters({ sampling }: Rollout): JsonObject | null {
  const parameters = {
    ...(sampling.temperature === null ? {} : { temperature: sampling.temperature }),
    ...(sampling.maxTokens === null ? {} : { max_tokens: sampling.maxTokens }),
  };
  return Object.keys(parameters).length === 0 ? null : parameters;
}

function toGroupMeta(first: Rollout, rollouts: readonly Rollout[], hasPlaceholders: boolean): JsonObject {
  const endedAt = rollouts.reduce((latest, rollout) => Math.max(latest, rollout.timing.endedAt), 0);
  return {
    schema: 1,
    env: first.environment,
    index: first.groupIndex,
    item_id: itemIdOf(first),
    group_id: first.groupId,
    created_at: new Date(endedAt).toISOString(),
    model: first.model,
    placeholder_tokens: hasPlaceholders,
    tools: first.tools.map((tool) => tool.function.name),
    toolsets: first.toolsets,
    rollouts: rollouts.map(toRolloutMeta),
  };
}

function toRolloutMeta(rollout: Rollout): JsonObject {
  return {
    task_id: rollout.rolloutId,
    turns_used: rollout.turnsUsed,
    stop_reason: rollout.stopReason,
    finished_naturally: rollout.finishedNaturally,
    tool_errors: rollout.toolErrors.map(encodeToolError),
    reward_components: rollout.rewardParts,
    usage: asJsonObject(rollout.usage),
    wall_s: rollout.timing.durationMs / 1000,
    error: rollout.failure?.message ?? null,
    info: rollout.info,
  };
}
