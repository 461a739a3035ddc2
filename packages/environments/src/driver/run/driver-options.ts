import type { Clock, CreateId, JsonObject, Logger, RunEvent, Secret } from '@talaria/core';
import type { ChatModel } from '@talaria/model-client';
import type { TerminalBackend } from '@talaria/terminal-backends';
import type { ToolRegistry, ToolsetDistribution } from '@talaria/tools';
import type { RolloutVersions } from '@talaria/trajectories';
import type { EnvironmentConfig } from '../../configuration/environment-config.ts';
import type { RunConfig } from '../../configuration/run-config.ts';
import type { MetricSink } from '../../metric-sink.ts';
import type { RunProgress } from '../metrics/run-progress.ts';

/** Which rollout a model is asked for. */
export interface RolloutIdentity<Item extends JsonObject = JsonObject> {
  readonly item: Item;
  /** Content hash of the item, a colon, and which occurrence of that content it is (0-based). */
  readonly itemKey: string;
  /** 0-based position of the group in the run. */
  readonly groupIndex: number;
  /** 0-based position in the group. */
  readonly sample: number;
  /** 1-based: how often this sample was tried. */
  readonly attempt: number;
  readonly split: 'train' | 'eval';
}

/** What every driver is given. */
export interface DriverOptions<Item extends JsonObject = JsonObject, Config = EnvironmentConfig> {
  readonly config: RunConfig<Config>;
  /**
   * Who answers: one model for all rollouts, which stays the caller's, or a function that makes one for each, which is
   * closed with its rollout.
   */
  readonly model: ChatModel | ((identity: RolloutIdentity<Item>) => ChatModel);
  /** Name of the model in every output, where each rollout has one of its own. @default `openai[0].model_name` */
  readonly modelName?: string | undefined;
  /** Where sandboxes come from; stays the caller's. */
  readonly backend: TerminalBackend;
  readonly registry: ToolRegistry;
  /**
   * Toolsets drawn for each group: a distribution of your own. Stands in the manifest, so that a run only goes on with the
   * same one. @default the built-in one that `env.distribution` names, if any
   */
  readonly distribution?: ToolsetDistribution | undefined;
  /** Absolute folder that relative paths of the configuration start from. */
  readonly baseFolder: string;
  /** Absolute folder of the run: manifest, journal, events. Created where it is missing; with `env.resume` continued. */
  readonly runFolder: string;
  /** The effective configuration for the manifest, without secrets: `describe()` of `resolveRunConfig`. */
  readonly describedConfig?: JsonObject | undefined;
  /**
   * Values that tool results may not hold, neither for the model nor on disk: `secrets` of `resolveRunConfig`. What a
   * reward function reads stays as it is. @default none
   */
  readonly secrets?: readonly Secret[] | undefined;
  /** Hear the metrics; stay the caller's. @default [] */
  readonly sinks?: readonly MetricSink[] | undefined;
  /** Hears everything that happens in every rollout. What it throws is logged and changes nothing. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Hears where the run stands, after each change. What it throws is logged and changes nothing. */
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** @default the system's */
  readonly clock?: Clock | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
  /** @default random */
  readonly createId?: CreateId | undefined;
  /** Stored with every rollout. */
  readonly versions: RolloutVersions;
  /**
   * The first wish to stop: nothing new begins, rewards that are being computed may finish for `env.drain_timeout`, all
   * else is aborted, and the run ends with what there is.
   */
  readonly signal?: AbortSignal | undefined;
  /** The second: no waiting, only cleaning up. */
  readonly forceSignal?: AbortSignal | undefined;
}
