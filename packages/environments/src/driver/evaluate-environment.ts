import type { JsonObject } from '@talaria/core';
import type { EnvironmentConfig } from '../configuration/environment-config.ts';
import type { Environment } from '../environment.ts';
import type { DriverOptions } from './driver-options.ts';
import type { RunSummary } from './run-summary.ts';

/** Options of {@link evaluateEnvironment}. */
export interface EvaluateOptions<Item extends JsonObject = JsonObject, Config = EnvironmentConfig>
  extends DriverOptions<Item, Config> {
  /** Evaluate only the first so many items. @default all */
  readonly maxItems?: number | undefined;
}

/** What {@link evaluateEnvironment} found. */
export interface EvaluationSummary extends RunSummary {
  /** Standard metrics and the environment's own, `eval/…`. */
  readonly metrics: Readonly<Record<string, number | string>>;
  readonly itemsTotal: number;
  /** Items whose every rollout is scored. */
  readonly itemsScored: number;
  /** Rollouts that the infrastructure or the grader failed; no failures of the model. */
  readonly errors: number;
  /** Absolute folder of `metrics.json`, `samples.jsonl` and `evaluate_config.yaml`. */
  readonly outputFolder: string;
}

/**
 * Evaluates a model: runs every item of `evalItems` through the same loop and reward as training, and writes
 * `metrics.json`, `samples.jsonl` and `evaluate_config.yaml`.
 * @throws ConfigError before anything runs; StateError where the run folder or an output cannot be used
 */
export async function evaluateEnvironment<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
  options: EvaluateOptions<Item, Config>,
): Promise<EvaluationSummary> {
  throw new Error(`not written: ${environment.name} ${options.runFolder}`);
}
