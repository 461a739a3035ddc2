import type { JsonObject } from '@talaria/core';
import type { EnvironmentConfig } from '../configuration/environment-config.ts';
import type { Environment } from '../environment.ts';
import type { DriverOptions } from './driver-options.ts';
import type { RunSummary } from './run-summary.ts';

/** Options of {@link processEnvironment}. */
export interface ProcessOptions<Item extends JsonObject = JsonObject, Config = EnvironmentConfig>
  extends DriverOptions<Item, Config> {
  /** What a line of the output is: a group in upstream's shape, or one rollout with its reward. @default 'group' */
  readonly rows?: 'group' | 'rollout' | undefined;
}

/** What {@link processEnvironment} did. */
export interface ProcessSummary extends RunSummary {
  readonly groupsAccepted: number;
  /** Groups that were left out, by reason: `size`, `same_scores`, `invalid`, … */
  readonly groupsRejected: Readonly<Record<string, number>>;
  /** Absolute path of the JSONL file; `null` where no group was accepted. */
  readonly outputPath: string | null;
  /** Absolute path of the page that shows it; `null` where there is none. */
  readonly htmlPath: string | null;
}

/**
 * Makes scored trajectories: asks the environment for items, runs a group of rollouts on each, and writes accepted groups
 * as JSONL, with an HTML page beside. Every rollout is durable in the run folder before it is reported.
 * @throws ConfigError before anything runs; StateError where the run folder or an output cannot be used
 */
export async function processEnvironment<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
  options: ProcessOptions<Item, Config>,
): Promise<ProcessSummary> {
  throw new Error(`not written: ${environment.name} ${options.runFolder}`);
}
