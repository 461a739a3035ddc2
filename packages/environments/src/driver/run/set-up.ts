import type { JsonObject } from '@talaria/core';
import { callEnvironment } from './call-environment.ts';
import type { RunScope } from './run-scope.ts';

/** Lets the environment prepare itself, before anything else. @throws TaskError `task.environment-failed` */
export async function setUp<Item extends JsonObject, Config>(scope: RunScope<Item, Config>): Promise<void> {
  const { environment, context, stop } = scope;
  await callEnvironment<void>({
    environmentName: environment.name,
    method: 'setup',
    call: () => environment.setup?.(context),
    signal: stop.workSignal,
  });
}
