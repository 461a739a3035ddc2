import type { AgentResult } from '@talaria/agent-loop';
import type { Clock, ContentPart, JsonObject, Logger, RandomSource } from '@talaria/core';
import type { ChatModel } from '@talaria/model-client';
import type { ScriptedTurn } from '@talaria/model-client/testing';
import type { ToolCallParser } from '@talaria/tool-call-parsers';
import type { ToolContext } from '@talaria/tool-context';
import type { Tool } from '@talaria/tools';
import type { z } from 'zod';
import type { EnvironmentConfig } from './configuration/environment-config.ts';

/** What an environment is given with every call. */
export interface EnvironmentContext<Config> {
  /** The resolved `env` section, the environment's own fields included. Keys as in the file: snake_case. */
  readonly config: Config;
  readonly split: 'train' | 'eval';
  /** The model under test, for judges that ask it; its requests count in the run's usage. */
  readonly model: ChatModel;
  readonly logger: Logger;
  readonly clock: Clock;
  /** A seeded source of its own for each name: the same in every run with the same `seed`. */
  readonly random: (name: string) => RandomSource;
  readonly signal: AbortSignal;
}

/** What {@link Environment.getNextItem} is given. */
export interface ItemContext<Config> extends EnvironmentContext<Config> {
  /** 0-based: how many items were asked for before in this run, resumed parts included. */
  readonly itemIndex: number;
}

/** What a reward function holds: the rollout's sandbox and tools, and the environment's own context. */
export interface RewardContext<Config> extends ToolContext, EnvironmentContext<Config> {
  /** 0-based position of the rollout in its group. */
  readonly sample: number;
}

/** A reward with its parts. */
export interface RewardResult {
  /** Any finite number, usually 0 to 1. */
  readonly reward: number;
  /** Named parts, each averaged in the metrics. */
  readonly parts?: Readonly<Record<string, number>> | undefined;
  /** Numbers that are reported but are no part of the reward. */
  readonly metrics?: Readonly<Record<string, number>> | undefined;
  /** `false`: leave the rollout out of training and of the rates. @default true */
  readonly isValid?: boolean | undefined;
  /** Stored with the rollout. */
  readonly info?: JsonObject | undefined;
}

/** Defaults that an environment changes, section by section, keys as in the file. */
export interface ConfigDefaults {
  readonly env?: JsonObject | undefined;
  readonly openai?: JsonObject | undefined;
  readonly terminal?: JsonObject | undefined;
  readonly tools?: JsonObject | undefined;
}

/** A function that reads items; a method, so that an environment of one item serves where any will do. */
interface ItemReader<Item, Config> {
  read(context: EnvironmentContext<Config>): readonly Item[] | Promise<readonly Item[]>;
}

/** Items as a list, or as a function that reads them once. */
export type ItemSource<Item, Config> = readonly Item[] | ItemReader<Item, Config>['read'];

/**
 * A task family: where items come from, what the model is asked, and what its work is worth. The drivers do the rest.
 * An object, made by `defineEnvironment` or not, or an instance of a class that implements this. It has `items` or
 * `getNextItem`; where it has both, `getNextItem` gives the training items.
 */
export interface Environment<Item extends JsonObject = JsonObject, Config = EnvironmentConfig> {
  /** `^[a-z0-9][a-z0-9-]*$`; names files and metrics. */
  readonly name: string;
  /** One line for `--help`. */
  readonly description?: string | undefined;
  /** The `env` section: the base schema, extended with fields of its own. @default the base schema */
  readonly configSchema?: z.ZodType<Config> | undefined;
  /** Whether its commands may run on this machine without a container, unasked. @default false */
  readonly isLocalSafe?: boolean | undefined;
  /**
   * Tools of its own beside those of the program: offered where `env.enabled_toolsets` names their set, or by default as
   * any other. One of the same name takes the other's place.
   */
  readonly tools?: readonly Tool[] | undefined;
  /**
   * Formats of tool calls of its own, which `env.tool_call_parser` may name. One of the same name takes the place of
   * another.
   */
  readonly parsers?: readonly ToolCallParser[] | undefined;
  /** Its own defaults, above the schema's. */
  configInit?(): ConfigDefaults;
  /** Once, before anything else. */
  setup?(context: EnvironmentContext<Config>): Promise<void> | void;
  /**
   * Training items that are given out in turn, again from the start after the last one. A list is played once unless
   * `env.total_steps` says otherwise.
   */
  readonly items?: ItemSource<Item, Config> | undefined;
  /** The next training item; `null` where there are no more. In place of `items`. */
  getNextItem?(context: ItemContext<Config>): Promise<Item | null> | Item | null;
  /** What the user says to the model. */
  formatPrompt(item: Item, context: EnvironmentContext<Config>): string | readonly ContentPart[];
  /** Before the first turn: files that the task needs. The tools act on the rollout's sandbox. */
  prepareSandbox?(item: Item, context: RewardContext<Config>): Promise<void> | void;
  /** What the rollout is worth. Throwing means that the grader failed, not that the reward is zero. */
  computeReward(
    item: Item,
    result: AgentResult,
    context: RewardContext<Config>,
  ): Promise<number | RewardResult> | number | RewardResult;
  /** The items of the evaluation. @default `items` */
  readonly evalItems?: ItemSource<Item, Config> | undefined;
  /** Metrics over all rollouts of an evaluation, added to the standard ones; `eval/` stands before a name without a slash. */
  evaluate?(
    rollouts: readonly EvaluatedRollout<Item>[],
    context: EnvironmentContext<Config>,
  ): Promise<Readonly<Record<string, number | string>>> | Readonly<Record<string, number | string>>;
  /** Metrics over the rollouts of a group, added to the standard ones; `train/` stands before a name without a slash. */
  trainMetrics?(
    rollouts: readonly EvaluatedRollout<Item>[],
    context: EnvironmentContext<Config>,
  ): Readonly<Record<string, number>>;
  /** What the `scripted` model answers for this item and sample: the reference solution. */
  referenceTurns?(item: Item, sample: number): readonly ScriptedTurn[];
  /** A short name of an item for tables. @default its `id` or `name`, else the start of its hash */
  describeItem?(item: Item): string;
  /** Once, at the end, also after a failure. */
  cleanup?(context: EnvironmentContext<Config>): Promise<void> | void;
}

/** A rollout as the metrics see it. */
export interface EvaluatedRollout<Item> {
  readonly item: Item;
  readonly sample: number;
  /** `null` where it was not scored. */
  readonly reward: number | null;
  readonly rewardParts: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Record<string, number>>;
  readonly turnsUsed: number;
  readonly stopReason: string;
}
