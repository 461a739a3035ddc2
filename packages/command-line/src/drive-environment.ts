import { join } from 'node:path';
import type { JsonObject, Logger } from '@talaria/core';
import {
  type DriverName,
  type DriverOptions,
  type Environment,
  evaluateEnvironment,
  type MetricSink,
  processEnvironment,
  type ResolvedRunConfig,
} from '@talaria/environments';
import { createConsoleSink, createJsonlSink } from '@talaria/environments/sinks';
import type { TerminalBackend } from '@talaria/terminal-backends';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { createBuiltinRegistry } from '@talaria/tools';
import { chooseModel } from './choose-model.ts';
import type { CommandFlags } from './command-flags.ts';
import { formatNumber } from './format-quantity.ts';
import type { Host } from './host.ts';
import type { ProgressDisplay } from './progress-display.ts';
import { readVersion } from './read-version.ts';
import type { AnySummary } from './report-run.ts';
import { checkStateFolder, stateFolder } from './state-folder.ts';
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
  const { host, environment, driver, resolved, runFolder, display, logger } = run;
  await checkStateFolder(stateFolder(host, resolved.config.terminal.state_dir));
  const backend = trackSandboxes(openBackend(host, resolved, logger));
  using stop = openStopControl(host, { listLeftovers: backend.listOpen, tell: display.tell });
  await using model = await chooseModel(host, { environment, driver, resolved, logger });
  if (model.notice !== null) display.tell(model.notice);
  await using metrics = openSinks(run);
  const { removed } = await backend.sweep({ signal: stop.drainSignal });
  if (removed.length > 0) {
    display.tell(`Removed ${formatNumber(removed.length, 'sandbox', 'sandboxes')} that an earlier run left behind.`);
  }
  // What keeps every sandbox from opening is told once, before anything is written.
  await backend.preflight({ signal: stop.drainSignal });
  const options: DriverOptions<Item, Config> = {
    config: resolved.config,
    model: model.model,
    modelName: model.name,
    backend,
    registry: createBuiltinRegistry(),
    baseFolder: host.cwd,
    runFolder,
    describedConfig: resolved.describe(),
    secrets: resolved.secrets,
    sinks: metrics.sinks,
    onProgress: display.show,
    clock: host.clock,
    logger,
    versions: {
      talaria: await readVersion(new URL('../package.json', import.meta.url)),
      node: host.nodeVersion,
    },
    signal: stop.drainSignal,
    forceSignal: stop.cutSignal,
  };
  const summary = await callDriver(run, options);
  stop.throwIfUncaught();
  return summary;
}

async function callDriver<Item extends JsonObject, Config>(
  { driver, environment, flags }: PreparedRun<Item, Config>,
  options: DriverOptions<Item, Config>,
): Promise<AnySummary> {
  if (driver === 'process') {
    return { driver, summary: await processEnvironment(environment, { ...options, rows: flags.rows }) };
  }
  const maxItems = flags.maxItems ?? undefined;
  return { driver, summary: await evaluateEnvironment(environment, { ...options, maxItems }) };
}

function openBackend<Config>(host: Host, { config }: ResolvedRunConfig<Config>, logger: Logger): TerminalBackend {
  const { env, env_passthrough: passthrough, allow_secret_env: allowSecretEnv } = config.terminal;
  return createLocalBackend({
    stateFolder: stateFolder(host, config.terminal.state_dir),
    environment: host.variables,
    env,
    passthrough,
    allowSecretEnv,
    clock: host.clock,
    logger,
  });
}

/** Where metrics go: a file in the run folder and, where everything is told, the terminal. */
function openSinks<Item extends JsonObject, Config>({
  resolved,
  flags,
  runFolder,
  display,
  logger,
}: PreparedRun<Item, Config>): AsyncDisposable & { readonly sinks: readonly MetricSink[] } {
  const sinks: MetricSink[] = [];
  if (resolved.config.env.tracker !== 'none') sinks.push(createJsonlSink(join(runFolder, 'metrics.jsonl'), { logger }));
  if (flags.isVerbose) sinks.push(createConsoleSink((text) => display.tell(text.trimEnd())));
  return {
    sinks,
    async [Symbol.asyncDispose]() {
      for (const sink of sinks) await sink[Symbol.asyncDispose]();
    },
  };
}
