import { isJsonObject, type JsonObject, StateError } from '@talaria/core';
import { asJsonObject } from './as-json-object.ts';
import type {
  Rollout,
  RolloutToolCall,
  RolloutToolError,
  RolloutTurn,
  SamplingSettings,
  TokenBranch,
} from './rollout.ts';
import { rolloutSchema } from './rollout.ts';
import { rolloutRecord } from './rollout-record.ts';

/**
 * The record as it stands in a file: snake_case, one JSON object, keys always present and in this order.
 * Messages, tools, item and info are the user's or the wire's: they are kept as they are.
 */
export function encodeRollout(rollout: Rollout): JsonObject {
  return {
    schema: rollout.schema,
    rollout_id: rollout.rolloutId,
    run_id: rollout.runId,
    group_id: rollout.groupId,
    item_key: rollout.itemKey,
    group_index: rollout.groupIndex,
    sample: rollout.sample,
    attempt: rollout.attempt,
    env: rollout.environment,
    split: rollout.split,
    model: rollout.model,
    item: rollout.item,
    status: rollout.status,
    stop_reason: rollout.stopReason,
    failure_kind: rollout.failure?.boundary ?? null,
    failure: rollout.failure === null ? null : asJsonObject(rollout.failure),
    mask_sample: rollout.isMasked,
    reward: rollout.reward,
    rewards: rollout.rewardParts,
    metrics: rollout.metrics,
    info: rollout.info,
    messages: rollout.messages.map(asJsonObject),
    tools: rollout.tools.map(asJsonObject),
    toolsets: rollout.toolsets,
    turns_used: rollout.turnsUsed,
    finished_naturally: rollout.finishedNaturally,
    turns: rollout.turns.map(encodeTurn),
    tool_errors: rollout.toolErrors.map(encodeToolError),
    usage: asJsonObject(rollout.usage),
    cost_usd: rollout.costUsd,
    sampling: encodeSampling(rollout.sampling),
    branches: rollout.branches === null ? null : rollout.branches.map(encodeBranch),
    token_source: rollout.tokenSource,
    timing: {
      started_at: rollout.timing.startedAt,
      ended_at: rollout.timing.endedAt,
      duration_ms: rollout.timing.durationMs,
      model_ms: rollout.timing.modelMs,
      tools_ms: rollout.timing.toolsMs,
      reward_ms: rollout.timing.rewardMs,
    },
    versions: { talaria: rollout.versions.talaria, node: rollout.versions.node },
  };
}

/**
 * Reads a record from a file. Fields that are not known are ignored, those inside messages are kept; reasoning that
 * another program stored as `reasoning` becomes `reasoning_content`.
 *
 * @throws StateError `state.unknown-version` where a newer Talaria wrote it, `state.invalid-record` where it is none
 */
export function decodeRollout(input: unknown): Rollout {
  checkSchema(input);
  const result = rolloutRecord.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? 'the record' : `\`${issue.path.join('.')}\``;
  throw new StateError(`Not a valid rollout record: ${place}: ${issue?.message ?? 'unreadable'}`, {
    code: 'state.invalid-record',
    hint: 'The file was changed or written by another program; leave this record out or restore it from a copy.',
    cause: result.error,
  });
}

function checkSchema(input: unknown): void {
  const schema = isJsonObject(input) ? input['schema'] : undefined;
  if (schema === rolloutSchema) return;
  if (typeof schema === 'string' && schema.startsWith('talaria.rollout/')) {
    throw new StateError(
      `The rollout record has version "${schema.slice(0, 80)}"; this Talaria reads ${rolloutSchema}`,
      {
        code: 'state.unknown-version',
        hint: 'A newer Talaria wrote it: update the @talaria packages and try again.',
      },
    );
  }
  throw new StateError('Not a rollout record: its `schema` field is missing or names something else', {
    code: 'state.invalid-record',
    hint: `Each record of a journal is a JSON object with "schema": "${rolloutSchema}".`,
  });
}

function encodeTurn(turn: RolloutTurn): JsonObject {
  return {
    turn: turn.turn,
    model_call_ms: turn.modelMs,
    tools_ms: turn.toolsMs,
    finish_reason: turn.finishReason,
    usage: turn.usage === null ? null : asJsonObject(turn.usage),
    cost_usd: turn.costUsd,
    tool_calls: turn.toolCalls.map(encodeToolCall),
    raw_text: turn.rawText,
    parse_errors: turn.parseErrors,
  };
}

function encodeToolCall(call: RolloutToolCall): JsonObject {
  const nested = call.nestedCalls.map((inner) => ({
    tool_call_id: inner.toolCallId,
    tool_name: inner.toolName,
    is_error: inner.isError,
    error_kind: inner.errorKind,
    duration_ms: inner.durationMs,
  }));
  return {
    id: call.id,
    name: call.name,
    is_error: call.isError,
    started_at_ms: call.startedAtMs,
    duration_ms: call.durationMs,
    coercions: call.coercions,
    stored_at: call.storedAt,
    nested_calls: nested,
  };
}

/** A failed tool call as it stands in a file. */
export function encodeToolError(error: RolloutToolError): JsonObject {
  return {
    turn: error.turn,
    tool_call_id: error.toolCallId,
    tool_name: error.toolName,
    kind: error.kind,
    arguments: error.arguments,
    error: error.error,
    tool_result: error.toolResult,
  };
}

function encodeSampling(sampling: SamplingSettings): JsonObject {
  return {
    temperature: sampling.temperature,
    max_tokens: sampling.maxTokens,
    extra_body: sampling.extraBody,
  };
}

function encodeBranch(branch: TokenBranch): JsonObject {
  return {
    token_ids: branch.tokenIds,
    mask: branch.mask,
    logprobs: branch.logprobs,
    temperature: branch.temperature,
    turn_spans: branch.turnSpans.map(([start, end]) => [start, end]),
    finish_reasons: branch.finishReasons,
  };
}
