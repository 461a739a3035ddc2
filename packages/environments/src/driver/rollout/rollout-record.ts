import type { AgentResult } from '@talaria/agent-loop';
import { type Failure, type JsonObject, noUsage, type StopReason } from '@talaria/core';
import type { ToolView } from '@talaria/tools';
import {
  type Rollout,
  type RolloutStatus,
  type RolloutTiming,
  type RolloutVersions,
  rolloutSchema,
  type SamplingSettings,
} from '@talaria/trajectories';
import type { RolloutIdentity } from '../run/driver-options.ts';
import type { RolloutVerdict } from './rollout-verdict.ts';

/** Everything that a record is made of. */
export interface RolloutParts {
  readonly rolloutId: string;
  readonly runId: string;
  readonly groupId: string;
  readonly environment: string;
  readonly model: string;
  readonly identity: RolloutIdentity;
  readonly view: ToolView;
  /** `null` where the conversation never began. */
  readonly result: AgentResult | null;
  readonly verdict: RolloutVerdict;
  readonly sampling: SamplingSettings;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly durationMs: number;
  readonly rewardMs: number;
  readonly versions: RolloutVersions;
}

/** Makes the record of a rollout. */
export function toRollout(parts: RolloutParts): Rollout {
  const { identity, result, verdict } = parts;
  const stopReason = result?.stopReason ?? 'sandbox_lost';
  return {
    schema: rolloutSchema,
    rolloutId: parts.rolloutId,
    runId: parts.runId,
    groupId: parts.groupId,
    itemKey: identity.itemKey,
    groupIndex: identity.groupIndex,
    sample: identity.sample,
    attempt: identity.attempt,
    environment: parts.environment,
    split: identity.split,
    model: parts.model,
    item: identity.item,
    status: statusOf(stopReason, verdict),
    stopReason,
    ...outcomeOf(verdict),
    ...conversationOf(result),
    tools: parts.view.definitions,
    toolsets: toolsetsOf(parts.view),
    sampling: parts.sampling,
    branches: null,
    tokenSource: 'none',
    timing: timingOf(parts),
    versions: parts.versions,
  };
}

function statusOf(stopReason: StopReason, verdict: RolloutVerdict): RolloutStatus {
  if (verdict.kind === 'failed') return 'failed';
  if (stopReason === 'aborted') return 'aborted';
  return stopReason === 'completed' ? 'completed' : 'truncated';
}

interface Outcome {
  readonly failure: Failure | null;
  readonly isMasked: boolean;
  readonly reward: number | null;
  readonly rewardParts: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Record<string, number>>;
  readonly info: JsonObject | null;
}

function outcomeOf(verdict: RolloutVerdict): Outcome {
  if (verdict.kind === 'failed') {
    return { failure: verdict.failure, isMasked: true, reward: null, rewardParts: {}, metrics: {}, info: null };
  }
  const { reward, rewardParts, metrics, info, isValid, failure } = verdict;
  return { failure, isMasked: !isValid, reward, rewardParts, metrics, info };
}

type ConversationFields = Pick<
  Rollout,
  'messages' | 'turnsUsed' | 'finishedNaturally' | 'turns' | 'toolErrors' | 'usage' | 'costUsd'
>;

function conversationOf(result: AgentResult | null): ConversationFields {
  if (result === null) {
    return {
      messages: [],
      turnsUsed: 0,
      finishedNaturally: false,
      turns: [],
      toolErrors: [],
      usage: noUsage,
      costUsd: 0,
    };
  }
  const { messages, turnsUsed, finishedNaturally, turns, toolErrors, usage, costUsd } = result;
  return { messages, turnsUsed, finishedNaturally, turns, toolErrors, usage, costUsd };
}

function toolsetsOf(view: ToolView): readonly string[] {
  const names = [...view.names].flatMap((name) => view.get(name)?.toolset ?? []);
  return [...new Set(names)].sort();
}

function timingOf({ result, startedAt, endedAt, durationMs, rewardMs }: RolloutParts): RolloutTiming {
  const turns = result?.turns ?? [];
  return {
    startedAt,
    endedAt,
    durationMs,
    modelMs: turns.reduce((sum, turn) => sum + turn.modelMs, 0),
    toolsMs: turns.reduce((sum, turn) => sum + turn.toolsMs, 0),
    rewardMs,
  };
}
