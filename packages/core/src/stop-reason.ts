/**
 * Why a rollout's conversation ended.
 *
 * - `completed`: the model answered without calling a tool.
 * - `max_turns`: the limit of model calls was reached.
 * - `truncated`: an answer was cut by the length limit, or the context is full.
 * - `malformed_call`: the model's last answer held only a broken tool call, again after it was told so.
 * - `budget_tokens`, `budget_cost`, `budget_time`: a budget was used up.
 * - `model_error`: the endpoint failed. Not the model's fault; never scored.
 * - `sandbox_lost`: the sandbox went away. Not the model's fault; never scored.
 * - `aborted`: the caller stopped it.
 */
export type StopReason =
  | 'completed'
  | 'max_turns'
  | 'truncated'
  | 'malformed_call'
  | 'budget_tokens'
  | 'budget_cost'
  | 'budget_time'
  | 'model_error'
  | 'sandbox_lost'
  | 'aborted';

/** Whether the conversation ended for a reason that says nothing about the model, so that it must not be scored. */
export function isInfrastructureStop(reason: StopReason): boolean {
  return reason === 'model_error' || reason === 'sandbox_lost' || reason === 'aborted';
}
