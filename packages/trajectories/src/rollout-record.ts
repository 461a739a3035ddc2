import type { JsonValue } from '@talaria/core';
import { z } from 'zod';
import { chatMessage, jsonObject, toolDefinition } from './message-record.ts';
import { type Rollout, rolloutSchema } from './rollout.ts';

// The file shape of a rollout, read into ours. Objects are open: fields that another version added are not an error.

const jsonValue = z.custom<JsonValue>((value) => value !== undefined, 'Expected a value');
const numbersByName = z.record(z.string(), z.number());
const stopReason = z.enum([
  'completed',
  'max_turns',
  'truncated',
  'malformed_call',
  'budget_tokens',
  'budget_cost',
  'budget_time',
  'model_error',
  'sandbox_lost',
  'aborted',
]);

const count = z.int().nonnegative();

const usage = z.looseObject({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  prompt_tokens_details: z.looseObject({ cached_tokens: z.number().exactOptional() }).exactOptional(),
  completion_tokens_details: z.looseObject({ reasoning_tokens: z.number().exactOptional() }).exactOptional(),
});

const failure = z.object({
  boundary: z.enum(['model', 'parse', 'tool', 'sandbox', 'timeout', 'budget', 'grader', 'framework']),
  code: z.string(),
  retryable: z.boolean(),
  message: z.string(),
});

const nestedCall = z
  .object({
    tool_call_id: z.string(),
    tool_name: z.string(),
    is_error: z.boolean(),
    error_kind: z.string().nullable(),
    duration_ms: z.number(),
  })
  .transform((call) => ({
    toolCallId: call.tool_call_id,
    toolName: call.tool_name,
    isError: call.is_error,
    errorKind: call.error_kind,
    durationMs: call.duration_ms,
  }));

const turnToolCall = z
  .object({
    id: z.string(),
    name: z.string(),
    is_error: z.boolean(),
    started_at_ms: z.number(),
    duration_ms: z.number(),
    coercions: z.array(z.string()),
    stored_at: z.string().nullable(),
    // Records of the first versions have none.
    nested_calls: z.array(nestedCall).default([]),
  })
  .transform((call) => ({
    id: call.id,
    name: call.name,
    isError: call.is_error,
    startedAtMs: call.started_at_ms,
    durationMs: call.duration_ms,
    coercions: call.coercions,
    storedAt: call.stored_at,
    nestedCalls: call.nested_calls,
  }));

const turn = z
  .object({
    turn: count,
    model_call_ms: z.number(),
    tools_ms: z.number(),
    finish_reason: z.string().nullable(),
    usage: usage.nullable(),
    cost_usd: z.number().nullable(),
    tool_calls: z.array(turnToolCall),
    raw_text: z.string().nullable(),
    parse_errors: z.array(z.string()),
  })
  .transform((record) => ({
    turn: record.turn,
    modelMs: record.model_call_ms,
    toolsMs: record.tools_ms,
    finishReason: record.finish_reason,
    usage: record.usage,
    costUsd: record.cost_usd,
    toolCalls: record.tool_calls,
    rawText: record.raw_text,
    parseErrors: record.parse_errors,
  }));

const toolError = z
  .object({
    turn: count,
    tool_call_id: z.string(),
    tool_name: z.string(),
    kind: z.string(),
    arguments: z.string(),
    error: z.string(),
    tool_result: z.string(),
  })
  .transform((record) => ({
    turn: record.turn,
    toolCallId: record.tool_call_id,
    toolName: record.tool_name,
    kind: record.kind,
    arguments: record.arguments,
    error: record.error,
    toolResult: record.tool_result,
  }));

const branch = z
  .object({
    token_ids: z.array(count),
    mask: z.array(z.literal([0, 1])),
    logprobs: z.array(z.number().nullable()),
    temperature: z.number().nullable(),
    turn_spans: z.array(z.tuple([count, count])),
    finish_reasons: z.array(z.string()),
  })
  .refine(
    (record) => record.mask.length === record.token_ids.length && record.logprobs.length === record.token_ids.length,
    'token_ids, mask and logprobs must have one length',
  )
  .transform((record) => ({
    tokenIds: record.token_ids,
    mask: record.mask,
    logprobs: record.logprobs,
    temperature: record.temperature,
    turnSpans: record.turn_spans,
    finishReasons: record.finish_reasons,
  }));

/** Milliseconds since 1970, within what a `Date` can hold. */
const moment = z.number().min(-8.64e15).max(8.64e15);

const timing = z
  .object({
    started_at: moment,
    ended_at: moment,
    duration_ms: z.number(),
    model_ms: z.number(),
    tools_ms: z.number(),
    reward_ms: z.number(),
  })
  .transform((record) => ({
    startedAt: record.started_at,
    endedAt: record.ended_at,
    durationMs: record.duration_ms,
    modelMs: record.model_ms,
    toolsMs: record.tools_ms,
    rewardMs: record.reward_ms,
  }));

const sampling = z
  .object({
    temperature: z.number().nullable(),
    max_tokens: z.number().nullable(),
    extra_body: jsonObject.nullable(),
  })
  .transform((record) => ({
    temperature: record.temperature,
    maxTokens: record.max_tokens,
    extraBody: record.extra_body,
  }));

/** Reads the file shape of a rollout into a {@link Rollout}. */
export const rolloutRecord: z.ZodType<Rollout> = z
  .object({
    schema: z.literal(rolloutSchema),
    rollout_id: z.string(),
    run_id: z.string(),
    group_id: z.string(),
    item_key: z.string(),
    group_index: count,
    sample: count,
    attempt: z.int().positive(),
    env: z.string(),
    split: z.enum(['train', 'eval']),
    model: z.string(),
    item: jsonValue,
    status: z.enum(['completed', 'truncated', 'aborted', 'failed']),
    stop_reason: stopReason,
    failure: failure.nullable(),
    mask_sample: z.boolean(),
    reward: z.number().nullable(),
    rewards: numbersByName,
    metrics: numbersByName,
    info: jsonObject.nullable(),
    messages: z.array(chatMessage),
    tools: z.array(toolDefinition),
    toolsets: z.array(z.string()),
    turns_used: count,
    finished_naturally: z.boolean(),
    turns: z.array(turn),
    tool_errors: z.array(toolError),
    usage,
    cost_usd: z.number().nullable(),
    sampling,
    branches: z.array(branch).nullable(),
    token_source: z.enum(['engine', 'retokenized', 'none']),
    timing,
    versions: z.object({ talaria: z.string(), node: z.string() }),
  })
  .transform((record) => ({
    schema: record.schema,
    rolloutId: record.rollout_id,
    runId: record.run_id,
    groupId: record.group_id,
    itemKey: record.item_key,
    groupIndex: record.group_index,
    sample: record.sample,
    attempt: record.attempt,
    environment: record.env,
    split: record.split,
    model: record.model,
    item: record.item,
    status: record.status,
    stopReason: record.stop_reason,
    failure: record.failure,
    isMasked: record.mask_sample,
    reward: record.reward,
    rewardParts: record.rewards,
    metrics: record.metrics,
    info: record.info,
    messages: record.messages,
    tools: record.tools,
    toolsets: record.toolsets,
    turnsUsed: record.turns_used,
    finishedNaturally: record.finished_naturally,
    turns: record.turns,
    toolErrors: record.tool_errors,
    usage: record.usage,
    costUsd: record.cost_usd,
    sampling: record.sampling,
    branches: record.branches,
    tokenSource: record.token_source,
    timing: record.timing,
    versions: record.versions,
  }));
