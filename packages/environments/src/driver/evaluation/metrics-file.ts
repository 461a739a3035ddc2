import type { EnvironmentConfig } from '../../configuration/environment-config.ts';

/** What stands in `metrics.json`. */
export interface EvaluationFile {
  readonly taskName: string;
  readonly modelName: string;
  readonly durationMs: number;
  readonly env: EnvironmentConfig;
  readonly metrics: Readonly<Record<string, number | string>>;
  /** Whether the evaluation was stopped before its end. */
  readonly isPartial: boolean;
}

/**
 * The text of `metrics.json`, in the shape that tools for upstream's evaluations read: the time is a text, and the name of
 * the task stands between bars.
 */
export function encodeEvaluation(file: EvaluationFile): string {
  const { env } = file;
  const record = {
    config_general: {
      model_name: file.modelName,
      total_evaluation_time_seconds: String(file.durationMs / 1000),
      generation_parameters: {
        max_new_tokens: env.max_token_length,
        temperature: env.agent_temperature,
        max_agent_turns: env.max_agent_turns,
        samples: env.eval_samples,
      },
    },
    results: { [`atropos|${file.taskName}|0`]: file.metrics, all: file.metrics },
    ...(file.isPartial ? { partial: true } : {}),
  };
  return `${JSON.stringify(record, null, 2)}\n`;
}
