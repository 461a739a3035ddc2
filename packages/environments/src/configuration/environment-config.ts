import type { JsonObject } from '@talaria/core';
import { z } from 'zod';
import { countAtOnce, flag, optionalNumber, optionalText, text, wholeNumber } from './field-schemas.ts';

/** An object schema whose output is `Config`; `extend` it to add fields. */
export type SchemaOf<Config> = z.ZodObject<{ readonly [Key in keyof Config]: z.ZodType<Config[Key], unknown> }>;

/**
 * The section `env` as every environment has it. Keys are those of the file, snake_case, since the object is stored as
 * it is; times are in seconds. (A type and no interface, so that it is assignable to `JsonObject`.)
 */
export type EnvironmentConfig = {
  /** Rollouts per item. */
  readonly group_size: number;
  /** Most groups at the same time when serving; -1: `max_num_workers_per_node` times the number of servers. */
  readonly max_num_workers: number;
  readonly max_num_workers_per_node: number;
  /** Items at the same time when evaluating, where `eval_concurrency` is 0. */
  readonly max_eval_workers: number;
  /** Rollouts at the same time when evaluating; 0: `max_eval_workers`. */
  readonly eval_concurrency: number;
  /** Rollouts per item when evaluating; above 1 the rates pass@1 to pass@k are reported. */
  readonly eval_samples: number;
  readonly steps_per_eval: number;
  /** Most tokens of one answer; not a limit on the conversation. */
  readonly max_token_length: number;
  /** Tokens that the model can hold, where known. */
  readonly context_length: number | null;
  readonly eval_handling: 'STOP_TRAIN' | 'LIMIT_TRAIN' | 'NONE';
  readonly eval_limit_ratio: number;
  readonly inference_weight: number;
  readonly batch_size: number;
  readonly max_batches_offpolicy: number;
  readonly tokenizer_name: string;
  readonly use_wandb: boolean;
  readonly rollout_server_url: string;
  /** Groups to make in `run`. */
  readonly total_steps: number;
  readonly wandb_name: string | null;
  readonly num_rollouts_to_keep: number;
  readonly num_rollouts_per_group_for_logging: number;
  /** Drop groups whose scores are all equal. */
  readonly ensure_scores_are_not_same: boolean;
  /** JSONL file of accepted groups. */
  readonly data_path_to_save_groups: string | null;
  readonly data_dir_to_save_evals: string | null;
  readonly min_items_sent_before_logging: number;
  readonly include_messages: boolean;
  readonly min_batch_allocation: number | null;
  readonly worker_timeout: number;
  readonly thinking_mode: boolean;
  readonly reasoning_effort: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | null;
  readonly max_reasoning_tokens: number | null;
  readonly custom_thinking_prompt: string | null;
  /** Toolsets that the model is offered; `null`: every available tool that works inside the sandbox. */
  readonly enabled_toolsets: readonly string[] | null;
  /** Taken away from the enabled ones. */
  readonly disabled_toolsets: readonly string[] | null;
  /** Toolsets drawn for each group, by the name of a distribution or its file; instead of `enabled_toolsets`. */
  readonly distribution: string | null;
  /** Most model calls per rollout. */
  readonly max_agent_turns: number;
  readonly system_prompt: string | null;
  readonly agent_temperature: number;
  readonly terminal_backend: string;
  readonly terminal_timeout: number;
  readonly terminal_lifetime: number;
  readonly dataset_name: string | null;
  readonly dataset_split: string;
  readonly prompt_field: string;
  /** Most tool calls at the same time in the whole run. */
  readonly tool_pool_size: number;
  readonly tool_call_parser: string;
  readonly extra_body: JsonObject | null;
  readonly default_result_size_chars: number;
  readonly turn_budget_chars: number;
  readonly preview_size_chars: number;
  readonly tool_result_overrides: Readonly<Record<string, number>> | null;
  /** Wall clock of one rollout, its reward included. */
  readonly rollout_timeout: number | null;
  /** Tokens that one rollout may use up. */
  readonly rollout_token_budget: number | null;
  /** US dollars that one rollout may use up. */
  readonly rollout_cost_budget_usd: number | null;
  readonly max_rollout_retries: number;
  readonly on_reward_error: 'drop' | 'zero' | 'fail';
  readonly on_api_error: 'drop' | 'keep';
  /** Groups at the same time in `run`. */
  readonly process_concurrency: number;
  readonly process_max_failures: number;
  /** Replace a rejected group by another item, so that `total_steps` groups are accepted. */
  readonly exact: boolean;
  readonly resume: boolean;
  readonly eval_at_start: boolean;
  readonly eval_at_end: boolean;
  readonly allow_placeholder_tokens: boolean;
  readonly drain_timeout: number;
  readonly tracker: 'wandb' | 'jsonl' | 'none' | null;
  readonly seed: number | null;
};

const schedulingFields = {
  group_size: countAtOnce(4, 'Rollouts per item.'),
  max_num_workers: wholeNumber(-1, 'serve: most groups at the same time; -1: max_num_workers_per_node per server.'),
  max_num_workers_per_node: wholeNumber(8, 'serve: groups at the same time per server.', 1),
  max_eval_workers: countAtOnce(16, 'eval: rollouts at the same time, where eval_concurrency is 0.'),
  eval_concurrency: countAtOnce(0, 'eval: rollouts at the same time; 0: max_eval_workers.', 0),
  eval_samples: countAtOnce(1, 'eval: rollouts per item; above 1, pass@k is reported.'),
  steps_per_eval: wholeNumber(100, 'serve: steps between evaluations; 0 or less: none.'),
  eval_handling: z
    .enum(['STOP_TRAIN', 'LIMIT_TRAIN', 'NONE'])
    .default('STOP_TRAIN')
    .describe('serve: what training does meanwhile.'),
  eval_limit_ratio: z.number().min(0).default(0.5).describe('serve: share of the workers under LIMIT_TRAIN.'),
  inference_weight: z.number().default(1).describe('serve: weight of this environment; negative: not registered.'),
  batch_size: wholeNumber(-1, 'serve: sequences per batch, where the trainer does not say.'),
  max_batches_offpolicy: wholeNumber(3, 'serve: batches that may wait; 0 or less: no limit.'),
  rollout_server_url: text('http://localhost:8000', 'serve: the trajectory API.'),
  total_steps: wholeNumber(1000, 'run: groups to make; for a list of items, its length. serve: steps.'),
  min_items_sent_before_logging: wholeNumber(2, 'serve: groups sent before metrics are logged.'),
  min_batch_allocation: z.number().min(0).max(1).nullable().default(null).describe('serve: share of each batch.'),
  worker_timeout: z.number().default(0).describe('serve: seconds for a whole group; 0 or less: none.'),
  process_concurrency: countAtOnce(1, 'run: groups at the same time.'),
  process_max_failures: wholeNumber(10, 'run: failed groups in a row before it gives up.', 1),
  exact: flag(false, 'run: replace a rejected group by another item.'),
  resume: flag(false, 'Continue the run folder and its output.'),
  eval_at_start: flag(false, 'serve: evaluate before the first step.'),
  eval_at_end: flag(true, 'serve: evaluate after the last step.'),
  drain_timeout: z.number().min(0).default(60).describe('Seconds that a stop waits for rewards being computed.'),
  seed: z.int().nullable().default(null).describe('Seed of shuffling, toolset sampling and splits.'),
};

const outputFields = {
  use_wandb: flag(true, 'Log to Weights & Biases where a key is set.'),
  wandb_name: optionalText('Name of the run there; the default is the name of the environment.'),
  tracker: z
    .enum(['wandb', 'jsonl', 'none'])
    .nullable()
    .default(null)
    .describe('Where metrics go besides the terminal.'),
  num_rollouts_to_keep: wholeNumber(32, 'Groups kept for the table of rollouts.', 0),
  num_rollouts_per_group_for_logging: wholeNumber(1, 'Rollouts of each in that table; -1: all.', -1),
  ensure_scores_are_not_same: flag(true, 'Drop groups whose scores are all equal.'),
  data_path_to_save_groups: optionalText('JSONL file of accepted groups; one that exists is never overwritten.'),
  data_dir_to_save_evals: optionalText('Folder of the results of an evaluation.'),
  include_messages: flag(false, 'serve: send messages along with tokens.'),
  allow_placeholder_tokens: flag(false, 'serve: send sequences that cannot be trained on.'),
};

const samplingFields = {
  max_token_length: wholeNumber(2048, 'Most tokens of one answer.', 1),
  context_length: z.int().min(1).nullable().default(null).describe('Tokens that the model can hold, where known.'),
  tokenizer_name: text('NousResearch/DeepHermes-3-Llama-3-3B-Preview', 'Loaded only where tokens are needed.'),
  thinking_mode: flag(false, 'Ask for reasoning.'),
  reasoning_effort: z
    .enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'])
    .nullable()
    .default(null)
    .describe('How much reasoning; implies thinking_mode.'),
  max_reasoning_tokens: z.int().min(1024).max(32_000).nullable().default(null).describe('Implies thinking_mode.'),
  custom_thinking_prompt: optionalText('For environments that ask for reasoning by a prompt.'),
  agent_temperature: z.number().min(0).default(1).describe('Temperature; eval uses 0 unless this is set.'),
  extra_body: z.record(z.string(), z.json()).nullable().default(null).describe('Merged into every request.'),
};

const agentFields = {
  enabled_toolsets: z.array(z.string()).nullable().default(null).describe('Toolsets offered; null: what is safe.'),
  disabled_toolsets: z.array(z.string()).nullable().default(null).describe('Taken away from the enabled ones.'),
  distribution: optionalText('Toolsets drawn for each group, by name or file; instead of enabled_toolsets.'),
  max_agent_turns: wholeNumber(30, 'Most model calls per rollout.', 1),
  system_prompt: optionalText('Stands before the conversation.'),
  terminal_backend: text('local', 'Where commands run; the same as terminal.backend.'),
  terminal_timeout: z
    .number()
    .positive()
    .default(120)
    .describe('Seconds per command; the same as terminal.timeout_sec.'),
  terminal_lifetime: z
    .number()
    .positive()
    .default(3600)
    .describe('Most seconds of a sandbox; the same as terminal.max_lifetime_sec.'),
  dataset_name: optionalText('Data set of environments that read one.'),
  dataset_split: text('train', 'Its split.'),
  prompt_field: text('prompt', 'Its field that holds the prompt.'),
  tool_pool_size: wholeNumber(128, 'Most tool calls at the same time.', 1),
  tool_call_parser: text('hermes', 'Format of tool calls written as text; talaria parse --list names all.'),
  default_result_size_chars: wholeNumber(100_000, 'Characters of a tool result before it is stored in a file.', 1),
  turn_budget_chars: wholeNumber(200_000, 'Characters of all tool results of a turn.', 1),
  preview_size_chars: wholeNumber(1500, 'Characters shown of a result that was stored.', 1),
  tool_result_overrides: z
    .record(z.string(), z.int().min(1))
    .nullable()
    .default(null)
    .describe('default_result_size_chars for single tools.'),
  rollout_timeout: optionalNumber('Most seconds of one rollout, its reward included.'),
  rollout_token_budget: z.int().min(1).nullable().default(null).describe('Most tokens of one rollout.'),
  rollout_cost_budget_usd: optionalNumber('Most US dollars of one rollout.'),
  max_rollout_retries: wholeNumber(1, 'How often a rollout that the infrastructure failed is tried again.', 0),
  on_reward_error: z
    .enum(['drop', 'zero', 'fail'])
    .default('drop')
    .describe('What becomes of a rollout whose reward function fails.'),
  on_api_error: z
    .enum(['drop', 'keep'])
    .default('drop')
    .describe('What becomes of a rollout that the model endpoint ended.'),
};

/** Schema of the section `env`. An environment with fields of its own extends it: `environmentConfigSchema.extend({…})`. */
export const environmentConfigSchema: SchemaOf<EnvironmentConfig> = z
  .strictObject({ ...agentFields, ...samplingFields, ...schedulingFields, ...outputFields })
  .describe('the environment and its agent');
