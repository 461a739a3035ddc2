import type { JsonObject } from '@talaria/core';
import type { RunScope } from './run-scope.ts';

/** Logs how much a run is going to do, before its first request: `run.planned`. */
export function tellPlan<Item extends JsonObject, Config>(
  { environment, modelName, logger }: RunScope<Item, Config>,
  { groups, groupSize }: { readonly groups: number; readonly groupSize: number },
): void {
  const rollouts = groups * groupSize;
  logger.info('run.planned', { environment: environment.name, model: modelName, groups, groupSize, rollouts });
}
