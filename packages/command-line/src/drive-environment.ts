import { join } from 'node:path';
import { ConfigError, errorMessage, type JsonObject, type Logger, systemErrorCode } from '@talaria/core';
import {
  type DriverName,
  type DriverOptions,
  type Environment,
  evaluateEnvironment,
  listKnownImages,
  type MetricSink,
  processEnvironment,
  type ResolvedRunConfig,
} from '@talaria/environments';
import { createConsoleSink, createJsonlSink } from '@talaria/environments/sinks';
import type { ToolsetDistribution } from '@talaria/tools';
import { openBackend } from './backends/open-backend.ts';
import type { OpenedBackend } from './backends/opened-backend.ts';
import { chooseModel } from './choose-model.ts';
import type { CommandFlags } from './command-flags.ts';
import { readDistribution } from './distributions/read-distribution.ts';
import { explainPreflight } from './explain-preflight.ts';
import { formatNumber } from './format-quantity.ts';
import type { Host } from './host.ts';
import type { ProgressDisplay } from './progress-display.ts';
import { readVersion } from './read-version.ts';
import type { AnySummary } from './report-run.ts';
import { checkStateFolder, stateFolder } from './state-folder.ts';
import { openStopControl } from './stop-control.ts';
import { openTools } from './tools/open-tools.ts';
import { type AcceptFault, describeFault } from './tools/tool-fault.ts';
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
  const { distribution: target } = resolved.config.env;
  const distribution = target === null ? undefined : await readDistribution(host, target);
  await checkStateFolder(stateFolder(host, resolved.config.terminal.state_dir));
  const opened = await openBackend(host, resolved.config.terminal, { logger, tell: display.tell });
  const backend = trackSandboxes(opened);
  using stop = openStopControl(host, { listLeftovers: backend.listOpen, tell: display.tell });
  await using model = await chooseModel(host, { environment, driver, resolved, logger });
  if (model.notice !== null) display.tell(model.notice);
  await using tools = await openTools(host, resolved.config, {
    logger,
    secrets: resolved.secrets,
    signal: stop.drainSignal,
    acceptFault: acceptUnnamedServers(run, distribution),
  });
  await using metrics = openSinks(run);
  await prepareSandboxes(backend, run, stop.drainSignal);
  const options: DriverOptions<Item, Config> = {
    config: resolved.config,
    model: model.model,
    modelName: model.name,
    backend,
    registry: tools.registry,
    distribution,
    baseFolder: host.cwd,
    runFolder,
    describedConfig: resolved.describe(),
    secrets: tools.secrets,
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
  const summary = await callDriver(run, options).catch((error: unknown) => {
    throw explainMissingTools(error);
  });
  stop.throwIfUncaught();
  return summary;
}

/** A server that does not start ends a run that names its toolset; any other run is told, and goes on without it. */
function acceptUnnamedServers<Item extends JsonObject, Config>(
  { resolved, logger }: PreparedRun<Item, Config>,
  distribution: ToolsetDistribution | undefined,
): AcceptFault {
  const { enabled_toolsets: enabled, disabled_toolsets: disabled } = resolved.config.env;
  const named = new Set([...(enabled ?? []), ...(disabled ?? []), ...Object.keys(distribution?.toolsets ?? {})]);
  return ({ kind, name, error }) => {
    if (kind !== 'server' || [name, 'all', '*'].some((toolset) => named.has(toolset))) return false;
    logger.warn('tools.server-left-out', { server: name, reason: describeFault(error) });
    return true;
  };
}

/** The library does not know the flag by which missing tools are allowed. */
function explainMissingTools(error: unknown): unknown {
  if (systemErrorCode(error) !== 'config.toolset-unavailable') return error;
  return new ConfigError(errorMessage(error), {
    code: 'config.toolset-unavailable',
    hint: 'Provide what is missing, leave the toolset out, or go on without it: --allow-missing-tools',
    cause: error,
  });
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

/**
 * Makes sure, before anything is written, that sandboxes can be opened, from the images that are known to be needed; then
 * removes what earlier runs left behind.
 */
async function prepareSandboxes<Item extends JsonObject, Config>(
  backend: OpenedBackend,
  { environment, driver, resolved, flags, display }: PreparedRun<Item, Config>,
  signal: AbortSignal,
): Promise<void> {
  const { config } = resolved;
  const { preflight: mode } = config.terminal;
  if (mode !== 'off') {
    const images = listKnownImages(environment, { driver, config, maxItems: flags.maxItems ?? undefined });
    try {
      await backend.preflight({ images, mode, signal });
    } catch (error) {
      throw explainPreflight(error, config.terminal);
    }
  }
  const { removed } = await backend.sweep({ signal });
  if (removed.length > 0) {
    display.tell(`Removed ${formatNumber(removed.length, 'sandbox', 'sandboxes')} that an earlier run left behind.`);
  }
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
