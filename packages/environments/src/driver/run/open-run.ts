import {
  createDisposalStack,
  createId as createRandomId,
  createSemaphore,
  errorMessage,
  type JsonObject,
  type RandomSource,
  seededRandom,
  silentLogger,
  systemClock,
} from '@talaria/core';
import { openRunFolder, type RunFolder } from '@talaria/run-store';
import type { ToolRegistry } from '@talaria/tools';
import { environmentParsers } from '../../configuration/environment-parsers.ts';
import type { DriverName } from '../../configuration/run-config.ts';
import { checkEnvironment } from '../../define-environment.ts';
import type { Environment, EnvironmentContext } from '../../environment.ts';
import { environmentItems } from '../../environment-items.ts';
import { createToolChooser, type ToolChooser } from '../groups/choose-tools.ts';
import { createRolloutTally } from '../metrics/rollout-tally.ts';
import type { RunProgress } from '../metrics/run-progress.ts';
import { absentModel, createUsageMeter, meterModel, type UsageMeter } from '../rollout/metered-model.ts';
import { checkNetwork, isNetworkAllowed } from '../rollout/sandbox-spec.ts';
import { watchHopelessness } from '../rollout/watch-model.ts';
import { changeableSettings } from './changeable-settings.ts';
import { createCountedPool } from './counted-pool.ts';
import type { DriverOptions } from './driver-options.ts';
import { createFailureKeeper } from './failure-keeper.ts';
import type { RunScope } from './run-scope.ts';
import { openStopPlan } from './stop-plan.ts';
import { createTurnstile } from './turnstile.ts';

/** A run that is open: what its rollouts share, and the first error that ended it. */
export interface OpenRun<Item extends JsonObject, Config> extends AsyncDisposable {
  readonly scope: RunScope<Item, Config>;
  /** What ended the run from within; `undefined` where nothing did. */
  readonly failure: { readonly error: unknown } | undefined;
  readonly startedAtMs: number;
}

/**
 * Opens a run: checks everything that can be checked before anything starts, and takes the run folder.
 * @throws ConfigError, TaskError, StateError; the signal's reason where the run was stopped before it began
 */
export async function openRun<Item extends JsonObject, Config>(
  environment: Environment<Item, Config>,
  options: DriverOptions<Item, Config>,
  driver: DriverName,
): Promise<OpenRun<Item, Config>> {
  const { clock = systemClock, logger = silentLogger } = options;
  options.signal?.throwIfAborted();
  // Checked as an unknown value: the assertion is for callers that have nothing better, and would blur the types here.
  const candidate: unknown = environment;
  checkEnvironment(candidate);
  checkNetwork(options.config.terminal, options.backend.capabilities);
  const registry = extendRegistry(environment, options);
  const chooseTools = createToolChooser({ ...options.config, distribution: options.distribution, registry, logger });
  const stack = createDisposalStack({ logger });
  const folder = stack.use(await openFolder(environment.name, options, driver));
  try {
    const { signal, forceSignal } = options;
    const drainTimeoutMs = options.config.env.drain_timeout * 1000;
    const stop = stack.use(openStopPlan({ clock, signal, forceSignal, drainTimeoutMs }));
    const { terminal } = options.config;
    const sandboxes = stack.use(createCountedPool({ backend: options.backend, config: terminal, clock, logger }));
    const failures = createFailureKeeper(stop);
    const { fail } = failures;
    return {
      scope: createScope({ environment, options, driver, folder, stop, sandboxes, registry, chooseTools, fail }),
      get failure() {
        return failures.first;
      },
      startedAtMs: clock.monotonicMs(),
      [Symbol.asyncDispose]: () => Promise.resolve(stack[Symbol.asyncDispose]()),
    };
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}

/** The program's tools, with those of the environment. */
function extendRegistry<Item extends JsonObject, Config>(
  { tools = [] }: Environment<Item, Config>,
  { registry }: DriverOptions<Item, Config>,
): ToolRegistry {
  return tools.length === 0 ? registry : registry.extend(tools);
}

function openFolder<Item extends JsonObject, Config>(
  environmentName: string,
  options: DriverOptions<Item, Config>,
  driver: DriverName,
): Promise<RunFolder> {
  const { config, distribution, runFolder, describedConfig = {}, versions, clock, logger, createId, signal } = options;
  const described =
    distribution === undefined ? describedConfig : { ...describedConfig, distribution: { ...distribution } };
  return openRunFolder({
    path: runFolder,
    mode: config.env.resume ? 'create-or-resume' : 'create',
    manifest: { command: driver, environment: environmentName, config: described, versions: { ...versions } },
    changeableKeys: changeableSettings,
    clock,
    logger,
    createId,
    signal,
  });
}

/** What {@link createScope} puts together. */
interface ScopeParts<Item extends JsonObject, Config>
  extends Pick<RunScope<Item, Config>, 'environment' | 'options' | 'folder' | 'stop' | 'sandboxes' | 'fail'> {
  readonly driver: DriverName;
  readonly registry: ToolRegistry;
  readonly chooseTools: ToolChooser;
}

function createScope<Item extends JsonObject, Config>(parts: ScopeParts<Item, Config>): RunScope<Item, Config> {
  const { environment, options, driver, folder, stop, sandboxes, registry, chooseTools, fail } = parts;
  const { config, clock = systemClock, logger = silentLogger, createId = createRandomId } = options;
  const split = driver === 'evaluate' ? 'eval' : 'train';
  const seed = `${config.env.seed ?? folder.runId}/${split}`;
  const modelName = modelNameOf(options);
  const judgeMeter = createUsageMeter();
  const tally = createRolloutTally(judgeMeter, progressListener(options));
  stop.workSignal.addEventListener('abort', () => tally.setPhase('stopping'), { once: true });
  return {
    environment,
    items: environmentItems(environment),
    options,
    config,
    split,
    modelName,
    folder,
    sandboxes,
    stop,
    chooseTools: (groupIndex, item) =>
      chooseTools({ groupIndex, seed, isNetworkAllowed: isNetworkAllowed(item, config.terminal) }),
    everyTool: registry.view({ enabled: [], extraTools: registry.tools, allowNoTools: true }),
    toolPlaces: createSemaphore(config.env.tool_pool_size),
    parser: config.tools.fallback_parse
      ? environmentParsers(environment.parsers).getParser(config.env.tool_call_parser)
      : null,
    watcher: watchHopelessness(fail),
    turnstile: createTurnstile(),
    judgeMeter,
    tally,
    takenMetrics: new Set(),
    context: {
      config: config.env,
      split,
      model: contextModel(options, modelName, judgeMeter),
      logger,
      clock,
      random: rememberedSources(seed),
      signal: stop.workSignal,
    },
    seed,
    clock,
    logger,
    createId,
    fail,
  };
}

function modelNameOf<Item extends JsonObject, Config>(options: DriverOptions<Item, Config>): string {
  const configured = options.config.openai[0]?.model_name ?? 'default';
  return options.modelName ?? (typeof options.model === 'function' ? configured : options.model.name);
}

function contextModel<Item extends JsonObject, Config>(
  { model }: DriverOptions<Item, Config>,
  name: string,
  meter: UsageMeter,
): EnvironmentContext<Config>['model'] {
  return typeof model === 'function' ? absentModel(name) : meterModel(model, meter);
}

/** A source goes on where it stopped when it is asked for again. */
function rememberedSources(seed: string): (name: string) => RandomSource {
  const sources = new Map<string, RandomSource>();
  return (name) => {
    const source = sources.get(name) ?? seededRandom(`${seed}/${name}`);
    sources.set(name, source);
    return source;
  };
}

/** Tells the caller where the run stands; what the caller throws is no fault of the run. */
function progressListener<Item extends JsonObject, Config>({
  onProgress,
  logger = silentLogger,
}: DriverOptions<Item, Config>): (progress: RunProgress) => void {
  return (progress) => {
    try {
      onProgress?.(progress);
    } catch (error) {
      logger.warn('run.listener-failed', { listener: 'onProgress', message: errorMessage(error) });
    }
  };
}
