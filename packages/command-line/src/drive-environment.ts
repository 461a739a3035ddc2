import { createDisposalStack, type JsonObject, type Logger } from '@talaria/core';
import {
  type DriverName,
  type DriverOptions,
  type Environment,
  evaluateEnvironment,
  processEnvironment,
  type ResolvedRunConfig,
} from '@talaria/environments';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { createBuiltinRegistry } from '@talaria/tools';
import { chooseModel } from './choose-model.ts';
import type { CommandFlags } from './command-flags.ts';
import type { Host } from './host.ts';
import type { ProgressDisplay } from './progress-display.ts';
import { readVersion } from './read-version.ts';
import type { AnySummary } from './report-run.ts';
import { stateFolder } from './state-folder.ts';
import { openStopControl } from './stop-control.ts';
import { trackSandboxes } from './track-sandboxes.ts';

/** Everything that a run needs, decided. */
export interface PreparedRun<Item extends JsonObject, Config> {
  readonly host: Host;
  readonly environment: Environment<Item, Config>;
  readonly driver: DriverName;
  readonly resolved: ResolvedRunConfig<Config>;
  readonly flags: CommandFlags;
  /** Absolute. */
  readonly runFolder: string;
  readonly display: ProgressDisplay;
  readonly logger: Logger;
}

/** Opens what a run works with, runs it, and closes everything, whatever happens. */
export async function driveEnvironment<Item extends JsonObject, Config>(
  run: PreparedRun<Item, Config>,
): Promise<AnySummary> {
  const { host, environment, driver, resolved, flags, display, logger } = run;
  const backend = trackSandboxes(createLocalBackend(localBackendOptions(run)));
  using stop = openStopControl(host, { listLeftovers: backend.listOpen, tell: display.tell });
  await backend.preflight({ signal: stop.drainSignal });
  await sweepLeftovers(backend, run, stop.drainSignal);
  await using model = await chooseModel(host, { environment, driver, resolved, logger });
  if (model.notice !== null) display.tell(model.notice);
}
