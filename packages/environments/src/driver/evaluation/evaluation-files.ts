import { join, resolve } from 'node:path';
import { errorMessage, type JsonObject, makeFolder, StateError } from '@talaria/core';
import { writeAtomic } from '@talaria/run-store';
import { stringify } from 'yaml';
import type { RunScope } from '../run/run-scope.ts';
import { encodeEvaluation } from './metrics-file.ts';

/** Makes the folder of the results and writes down what they were made with. */
export async function openResultFolder<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
): Promise<string> {
  const { folder, config, options } = scope;
  const wished = config.env.data_dir_to_save_evals;
  const path = wished === null ? folder.path : resolve(options.baseFolder, wished);
  await makeOutputFolder(path);
  await writeAtomic(join(path, 'evaluate_config.yaml'), stringify(options.describedConfig ?? {}));
  return path;
}

async function makeOutputFolder(path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (error) {
    throw new StateError(`The folder ${path} cannot be made: ${errorMessage(error)}`, {
      code: 'state.not-writable',
      hint: 'Name another folder in env.data_dir_to_save_evals, or make that one writable.',
      cause: error,
    });
  }
}

/** What {@link writeResults} writes. */
export interface EvaluationResults {
  readonly outputFolder: string;
  readonly metrics: Readonly<Record<string, number | string>>;
  readonly isPartial: boolean;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** Writes `metrics.json`. */
export async function writeResults<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  { outputFolder, metrics, isPartial, startedAt }: EvaluationResults,
): Promise<void> {
  const { environment, modelName, config, clock } = scope;
  const text = encodeEvaluation({
    taskName: `${environment.name}_eval`,
    modelName,
    durationMs: clock.now() - startedAt,
    env: config.env,
    metrics,
    isPartial,
  });
  await writeAtomic(join(outputFolder, 'metrics.json'), text);
}
