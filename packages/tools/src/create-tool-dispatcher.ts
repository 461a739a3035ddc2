import {
  type Clock,
  ConfigError,
  type Logger,
  nearestName,
  type Semaphore,
  settleWithin,
  silentLogger,
  systemClock,
  type ToolCall,
} from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { type ApprovalPolicy, sandboxed } from './approval-policy.ts';
import { parseArguments } from './parse-arguments.ts';
import { repeatTracker } from './repeat-tracker.ts';
import {
  defaultResultLimits,
  type ResultLimits,
  resultLimitOf,
  type StoredResult,
  type StoreResultOptions,
  storeResult,
} from './result-limits.ts';
import { runTool, type ToolRunResult } from './run-tool.ts';
import type { Tool, ToolErrorKind, ToolSettings } from './tool.ts';
import type { DispatchOptions, ToolCallOutcome, ToolDispatcher } from './tool-dispatcher.ts';
import { resolveToolSettings } from './tool-settings.ts';
import { createToolState, type ToolState } from './tool-state.ts';
import type { ToolView } from './tool-view.ts';

/** Most names that an answer about an unknown tool lists. */
const maxNamesListed = 40;

/** What {@link createToolDispatcher} takes. */
export interface ToolDispatcherOptions {
  readonly view: ToolView;
  /** Opens the rollout's sandbox, or gives the one that is open. */
  readonly sandbox: (signal: AbortSignal) => Promise<SandboxHandle>;
  readonly taskId: string;
  readonly rolloutId: string;
  /** What tools remember; disposed of with the dispatcher. @default empty */
  readonly state?: ToolState | undefined;
  /** @default {@link defaultToolSettings} */
  readonly settings?: Partial<ToolSettings> | undefined;
  /** @default {@link sandboxed} */
  readonly approval?: ApprovalPolicy | undefined;
  /** Coerce arguments that nearly fit, and say so in the outcome. @default false */
  readonly lenientArguments?: boolean | undefined;
  /**
   * Wall clock of any call. @default what the tool names itself, else the terminal's time-out and a minute
   */
  readonly maxToolMs?: number | undefined;
  /** Places that calls take, shared with other rollouts. Waiting for one is not the tool's time. @default none needed */
  readonly semaphore?: Semaphore | undefined;
  /** @default {@link defaultResultLimits} */
  readonly resultLimits?: Partial<ResultLimits> | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
  /** @default the real one */
  readonly clock?: Clock | undefined;
}

interface Dispatching {
  readonly view: ToolView;
  readonly options: ToolDispatcherOptions;
  readonly state: ToolState;
  readonly settings: ToolSettings;
  readonly approval: ApprovalPolicy;
  readonly limits: ResultLimits;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly canReadStored: boolean;
}

/** Everything of one call that its helpers need. */
interface CallInProgress {
  readonly call: ToolCall;
  readonly userTask: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Never aborted: for calls without a signal. */
function neverAborted(): AbortSignal {
  return new AbortController().signal;
}

/**
 * Creates the dispatcher of one rollout. Disposing it ends the background processes that its tools started; the sandbox
 * stays its owner's. @throws ConfigError `config.invalid` for a limit that is not a positive number
 */
export function createToolDispatcher(options: ToolDispatcherOptions): ToolDispatcher & AsyncDisposable {
  const { view, logger = silentLogger } = options;
  checkPositive('maxToolMs', options.maxToolMs);
  const dispatching: Dispatching = {
    view,
    options,
    logger,
    state: options.state ?? createToolState(),
    settings: resolveToolSettings(options.settings),
    approval: options.approval ?? sandboxed,
    limits: { ...defaultResultLimits, ...withoutUndefined(options.resultLimits ?? {}) },
    clock: options.clock ?? systemClock,
    canReadStored: view.names.has('read_file') || view.names.has('terminal'),
  };
  return {
    definitions: view.definitions,
    isParallelSafe: (toolName) => view.get(toolName)?.isParallelSafe ?? false,
    dispatch: (call, dispatchOptions) => dispatch(dispatching, call, dispatchOptions),
    limitTurn: (outcomes, dispatchOptions) => limitTurn(dispatching, outcomes, dispatchOptions),
    async [Symbol.asyncDispose]() {
      await settleWithin(async () => dispatching.state[Symbol.asyncDispose](), 30_000, logger);
    },
  };
}

async function dispatch(
  dispatching: Dispatching,
  call: ToolCall,
  { signal, userTask }: DispatchOptions = {},
): Promise<ToolCallOutcome> {
  signal?.throwIfAborted();
  const { clock, view } = dispatching;
  const startedAt = clock.monotonicMs();
  const finish = (result: ToolRunResult & Partial<StoredResult>, coercions: readonly string[]): ToolCallOutcome => ({
    toolCallId: call.id,
    toolName: call.function.name,
    content: result.content,
    isError: result.errorKind !== null,
    errorKind: result.errorKind,
    durationMs: clock.monotonicMs() - startedAt,
    coercions,
    storedAt: result.storedAt ?? null,
  });
  const tool = view.get(call.function.name);
  if (tool === undefined) return finish(unknownTool(call.function.name, view), []);
  const parsed = parseArguments(call.function.arguments, tool);
  if (!parsed.ok) return finish(failed('invalid_args', parsed.message), []);
  const checked = view.checkArguments(tool, parsed.args, dispatching.options.lenientArguments ?? false);
  if (!checked.ok) return finish(failed('invalid_args', `Wrong arguments: ${checked.message}.`), checked.coercions);
  const inProgress: CallInProgress = { call, userTask, signal };
  const refusal = await refusalOf(dispatching, tool, checked.args, inProgress);
  if (refusal !== undefined) return finish(refusal, checked.coercions);
  using _place = await dispatching.options.semaphore?.acquire(signal);
  const result = await execute(dispatching, tool, checked.args, inProgress);
  if (result.content.length <= resultLimitOf(tool, dispatching.limits)) return finish(result, checked.coercions);
  const limit = resultLimitOf(tool, dispatching.limits);
  const stored = await storeResult(result.content, storing(dispatching, call.id, limit, signal));
  return finish({ ...stored, errorKind: result.errorKind }, checked.coercions);
}

function execute(
  { view, options, state, settings, clock, logger }: Dispatching,
  tool: Tool,
  args: Parameters<Tool['execute']>[0],
  { call, userTask, signal }: CallInProgress,
): Promise<ToolRunResult> {
  const repeatCount = state
    .get(repeatTracker)
    .note(`${call.function.name}\0${JSON.stringify(call.function.arguments)}`);
  const timeLimitMs = options.maxToolMs ?? ownLimitMs(tool, settings);
  return runTool({
    tool,
    args,
    timeLimitMs,
    signal,
    openSandbox: options.sandbox,
    clock,
    logger,
    createContext: (toolSignal, sandbox) => ({
      taskId: options.taskId,
      rolloutId: options.rolloutId,
      toolCallId: call.id,
      signal: toolSignal,
      sandbox,
      state,
      enabledTools: view.names,
      userTask,
      settings,
      repeatCount,
      timeLimitMs,
      logger,
      clock,
    }),
  });
}

function ownLimitMs(tool: Tool, settings: ToolSettings): number {
  // A tool that keeps its own time needs a limit only against a backend that hangs.
  if (tool.timeoutMs === Number.POSITIVE_INFINITY) return settings.maxForegroundMs + 60_000;
  return tool.timeoutMs ?? settings.terminalTimeoutMs + 60_000;
}

async function refusalOf(
  { approval, options }: Dispatching,
  tool: Tool,
  args: Parameters<Tool['execute']>[0],
  { call, signal = neverAborted() }: CallInProgress,
): Promise<ToolRunResult | undefined> {
  const command = tool.shellCommand?.(args);
  const decision = await approval({
    toolName: call.function.name,
    sideEffect: tool.sideEffect,
    args,
    command,
    isolation: async () => (await options.sandbox(signal)).capabilities.isolation,
    signal,
  });
  signal.throwIfAborted();
  if (decision.kind === 'allow') return undefined;
  const error = `Blocked by the rule "${decision.rule}". Do not try the same again; find another way, or leave it out.`;
  const content =
    command === undefined
      ? { error, error_kind: 'blocked', status: 'blocked' }
      : { output: '', exit_code: -1, error, status: 'blocked' };
  return { content: JSON.stringify(content), errorKind: 'blocked' };
}

/** Stores the largest results of a turn until the rest fits. */
async function limitTurn(
  dispatching: Dispatching,
  outcomes: readonly ToolCallOutcome[],
  { signal }: DispatchOptions = {},
): Promise<readonly ToolCallOutcome[]> {
  const { turnBudgetChars, previewChars } = dispatching.limits;
  let totalChars = outcomes.reduce((sum, { content }) => sum + content.length, 0);
  if (totalChars <= turnBudgetChars) return outcomes;
  const limited = [...outcomes];
  const candidates = [...outcomes.entries()]
    .filter(([, outcome]) => outcome.storedAt === null && outcome.content.length > previewChars)
    .sort(([, left], [, right]) => right.content.length - left.content.length);
  for (const [index, outcome] of candidates) {
    if (totalChars <= turnBudgetChars) break;
    const stored = await storeResult(outcome.content, storing(dispatching, outcome.toolCallId, previewChars, signal));
    totalChars += stored.content.length - outcome.content.length;
    limited[index] = { ...outcome, ...stored };
  }
  return limited;
}

function storing(
  { options, limits, logger, canReadStored }: Dispatching,
  toolCallId: string,
  unstoredChars: number,
  signal: AbortSignal = neverAborted(),
): StoreResultOptions {
  return {
    toolCallId,
    rolloutId: options.rolloutId,
    previewChars: limits.previewChars,
    unstoredChars,
    sandbox: canReadStored ? () => options.sandbox(signal) : undefined,
    signal,
    logger,
  };
}

function unknownTool(name: string, view: ToolView): ToolRunResult {
  if (name === 'clarify') {
    return failed('not_available', 'Nobody can be asked here. Choose a sensible default and go on.');
  }
  const names = [...view.names];
  const listed = names.slice(0, maxNamesListed).join(', ');
  const rest = names.length > maxNamesListed ? `, and ${names.length - maxNamesListed} more` : '';
  const nearest = nearestName(name, names) ?? halfOf(name, view);
  const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return failed('unknown_tool', `Unknown tool: ${name.slice(0, 100)}. Available: ${listed}${rest}.${suggestion}`);
}

/** Broken streams write a name twice: `terminalterminal`. */
function halfOf(name: string, view: ToolView): string | undefined {
  const half = name.slice(0, name.length / 2);
  return half + half === name && view.names.has(half) ? half : undefined;
}

function failed(kind: ToolErrorKind, message: string): ToolRunResult {
  return { content: JSON.stringify({ error: message, error_kind: kind }), errorKind: kind };
}

function withoutUndefined<Options extends object>(options: Options): Options {
  // Dropping fields that are undefined leaves a value of the same optional fields.
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}

function checkPositive(name: string, value: number | undefined): void {
  if (value === undefined || value > 0) return;
  throw new ConfigError(`${name} is ${value}`, { code: 'config.invalid', hint: 'Give a number greater than 0.' });
}
