import type { Clock, CreateId, JsonObject, Logger, Semaphore } from '@talaria/core';
import type { RunFolder } from '@talaria/run-store';
import type { ToolCallParser } from '@talaria/tool-call-parsers';
import type { ToolView } from '@talaria/tools';
import type { RunConfig } from '../../configuration/run-config.ts';
import type { Environment, EnvironmentContext } from '../../environment.ts';
import type { EnvironmentItems } from '../../environment-items.ts';
import type { RolloutTally } from '../metrics/rollout-tally.ts';
import type { UsageMeter } from '../rollout/metered-model.ts';
import type { HopelessnessWatcher } from '../rollout/watch-model.ts';
import type { CountedPool } from './counted-pool.ts';
import type { DriverOptions, RolloutIdentity } from './driver-options.ts';
import type { StopPlan } from './stop-plan.ts';
import type { Turnstile } from './turnstile.ts';

/** What all rollouts of a run share: opened once, closed with the run. */
export interface RunScope<Item extends JsonObject, Config> {
  readonly environment: Environment<Item, Config>;
  readonly items: EnvironmentItems<Item, Config>;
  readonly options: DriverOptions<Item, Config>;
  readonly config: RunConfig<Config>;
  readonly split: 'train' | 'eval';
  readonly modelName: string;
  readonly folder: RunFolder;
  readonly sandboxes: CountedPool;
  readonly stop: StopPlan;
  /** The tools of a group, which all its rollouts share. */
  readonly chooseTools: (groupIndex: number, item: Item) => ToolView;
  /** Every tool of the registry, for verifiers. */
  readonly everyTool: ToolView;
  /** Places that tool calls take. */
  readonly toolPlaces: Semaphore;
  /** `null`: text stays text. */
  readonly parser: ToolCallParser | null;
  readonly watcher: HopelessnessWatcher;
  /** Passed wherever many rollouts may become ready at the same moment. */
  readonly turnstile: Turnstile;
  /** What environments themselves asked models for. */
  readonly judgeMeter: UsageMeter;
  readonly tally: RolloutTally;
  /** Names of the environment's metrics that were left out, since others have them; each is warned of once. */
  readonly takenMetrics: Set<string>;
  /** Context of the calls that belong to no rollout. */
  readonly context: EnvironmentContext<Config>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly createId: CreateId;
  /** `env.seed`, else the name of the run: what every random source begins with. */
  readonly seed: string;
  /** Ends the run with an error: what runs is stopped, what is done is kept. */
  fail(error: unknown): void;
}

/** A rollout that is to be run: everything but the attempt. */
export type SampleIdentity<Item extends JsonObject> = Omit<RolloutIdentity<Item>, 'attempt'>;

/** What the rollouts of one item share. */
export interface RolloutGroup {
  readonly groupId: string;
  readonly view: ToolView;
}
