import type { JsonObject } from '@talaria/core';
import { asJsonObject } from './as-json-object.ts';
import { finalAnswer, firstPrompt } from './final-answer.ts';
import { itemIdOf } from './item-id.ts';
import type { Rollout } from './rollout.ts';

/** Options of {@link toSampleRow}. */
export interface SampleRowOptions {
  /** Whether the answer counts as right. @default null: nobody can say, as where it was not scored */
  readonly isCorrect?: boolean | undefined;
}

/** One rollout of an evaluation as a line of `samples.jsonl`. */
export function toSampleRow(rollout: Rollout, options: SampleRowOptions = {}): JsonObject {
  return {
    sample_id: sampleIdOf(rollout),
    item_id: itemIdOf(rollout),
    sample: rollout.sample,
    messages: rollout.messages.map(asJsonObject),
    prompt: firstPrompt(rollout.messages),
    response: finalAnswer(rollout.messages),
    score: rollout.reward,
    correct: options.isCorrect ?? null,
    finish_reason: rollout.turns.at(-1)?.finishReason ?? null,
    stop_reason: rollout.stopReason,
    turns: rollout.turnsUsed,
    reward_components: rollout.rewardParts,
    usage: asJsonObject(rollout.usage),
    wall_s: rollout.timing.durationMs / 1000,
    error: rollout.failure?.message ?? null,
    info: rollout.info,
  };
}

/** What a sample of an evaluation is known by, in every attempt at it. */
export function sampleIdOf(rollout: Pick<Rollout, 'itemKey' | 'sample'>): string {
  return `${rollout.itemKey}/${rollout.sample}`;
}
