import { errorMessage, isTalariaError, type JsonObject, type Redactor, type ToolCall } from '@talaria/core';
import type { ApprovalDecision, ApprovalRequest } from './approval-policy.ts';
import { storeOptionsOf } from './limit-turn.ts';
import { parseArguments } from './parse-arguments.ts';
import { repeatTracker } from './repeat-tracker.ts';
import {
  defaultResultLimits,
  type ResultLimits,
  resultLimitOf,
  type StoredResult,
  storeResult,
} from './result-limits.ts';
import { failedRun, runTool, type ToolRunResult } from './run-tool.ts';
import type { Tool, ToolSettings } from './tool.ts';
import type { DispatchOptions, NestedToolCall, ToolCallOutcome } from './tool-dispatcher.ts';
import type { DispatcherSetup } from './tool-dispatcher-options.ts';
import type { ToolView } from './tool-view.ts';
import { unknownTool } from './unknown-tool.ts';

/** Runs one call from its name to its limited result; see `ToolDispatcher.dispatch`. */
export async function dispatchCall(
  setup: DispatcherSetup,
  call: ToolCall,
  options: DispatchOptions = {},
): Promise<ToolCallOutcome> {
  const { signal } = options;
  signal?.throwIfAborted();
  const { clock, view } = setup;
  const startedAt = clock.monotonicMs();
  const nested: NestedCalls = { started: 0, calls: [] };
  const finish = (result: ToolRunResult & Partial<StoredResult>, coercions: readonly string[]): ToolCallOutcome => ({
    toolCallId: call.id,
    toolName: call.function.name,
    content: result.content,
    isError: result.errorKind !== null,
    errorKind: result.errorKind,
    durationMs: clock.monotonicMs() - startedAt,
    coercions,
    storedAt: result.storedAt ?? null,
    ...(nested.calls.length === 0 ? {} : { nestedCalls: nested.calls }),
  });
  const tool = view.get(call.function.name);
  if (tool === undefined) return finish(unknownTool(call.function.name, view), []);
  const parsed = parseArguments(call.function.arguments, tool);
  if (!parsed.ok) return finish(failedRun('invalid_args', parsed.message), []);
  const isLenient = setup.isLenient ?? options.isFromText ?? false;
  const checked = view.checkArguments(tool, parsed.args, isLenient);
  if (!checked.ok) return finish(failedRun('invalid_args', `Wrong arguments: ${checked.message}.`), checked.coercions);
  const approved: ApprovedCall = { setup, call, options, tool, args: checked.args, nested };
  const result = (await refusalOf(approved)) ?? redactResult(await execute(approved), setup.redact);
  return finish(await limitResult(approved, result), checked.coercions);
}

/** A call whose arguments fit. */
interface ApprovedCall {
  readonly setup: DispatcherSetup;
  readonly call: ToolCall;
  readonly options: DispatchOptions;
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly nested: NestedCalls;
}

/** Calls that a tool makes. */
interface NestedCalls {
  started: number;
  /** Those that ended. */
  readonly calls: NestedToolCall[];
}

async function refusalOf({ setup, call, options, tool, args }: ApprovedCall): Promise<ToolRunResult | undefined> {
  const { signal = new AbortController().signal } = options;
  const command = tool.shellCommand?.(args);
  const request: ApprovalRequest = {
    toolName: call.function.name,
    sideEffect: tool.sideEffect,
    args,
    command,
    isolation: async () => (await setup.openSandbox(signal)).capabilities.isolation,
    signal,
  };
  const decision = await decide(request, setup);
  signal.throwIfAborted();
  if (decision.kind === 'allow') return undefined;
  const error = `Blocked by the rule "${decision.rule}". Do not try the same again; find another way, or leave it out.`;
  const content =
    command === undefined
      ? { error, error_kind: 'blocked', status: 'blocked' }
      : { output: '', exit_code: -1, error, status: 'blocked' };
  return { content: JSON.stringify(content), errorKind: 'blocked' };
}

/** A policy that fails allows nothing. A sandbox that cannot be opened is not its failure. */
async function decide(request: ApprovalRequest, { approval, logger }: DispatcherSetup): Promise<ApprovalDecision> {
  try {
    return await approval(request);
  } catch (error) {
    if (request.signal.aborted || isTalariaError(error)) throw error;
    logger.error('tool.approval-failed', { tool: request.toolName, message: errorMessage(error) });
    return { kind: 'deny', rule: 'the approval of calls failed' };
  }
}

async function execute(approved: ApprovedCall): Promise<ToolRunResult> {
  const { setup, call, options, tool, args } = approved;
  const { state, settings, clock, logger, view, taskId, rolloutId } = setup;
  const { signal, userTask } = options;
  using _place = await setup.semaphore?.acquire(signal);
  const repeatCount = state.get(repeatTracker).note(`${call.function.name}\0${JSON.stringify(args)}`);
  const timeLimitMs = setup.maxToolMs ?? ownLimitMs(tool, settings);
  return await runTool({
    tool,
    args,
    timeLimitMs,
    signal,
    openSandbox: setup.openSandbox,
    clock,
    logger,
    createContext: (toolSignal, sandbox) => ({
      taskId,
      rolloutId,
      toolCallId: call.id,
      signal: toolSignal,
      sandbox,
      state,
      enabledTools: view.names,
      userTask,
      settings,
      repeatCount,
      timeLimitMs,
      callTool: (name, nestedArgs, { signal: own } = {}) =>
        callNested(approved, { name, args: nestedArgs }, joinSignals(toolSignal, own)),
      logger,
      clock,
    }),
  });
}

/** Dispatches a call that a tool makes. It takes no place of its own, since the call that made it has one. */
async function callNested(
  { setup, call, options, nested }: ApprovedCall,
  { name, args }: { readonly name: string; readonly args: JsonObject },
  signal: AbortSignal,
): Promise<ToolCallOutcome> {
  nested.started += 1;
  const id = `${call.id}.${nested.started}`;
  const nestedSetup = { ...setup, semaphore: undefined, limits: wholeResults(setup.view) };
  const nestedCall = { id, type: 'function', function: { name, arguments: JSON.stringify(args) } } as const;
  const outcome = await dispatchCall(nestedSetup, nestedCall, { signal, userTask: options.userTask });
  const { toolCallId, toolName, isError, errorKind, durationMs, nestedCalls = [] } = outcome;
  nested.calls.push({ toolCallId, toolName, isError, errorKind, durationMs }, ...nestedCalls);
  return outcome;
}

function joinSignals(outer: AbortSignal, own: AbortSignal | undefined): AbortSignal {
  return own === undefined ? outer : AbortSignal.any([outer, own]);
}

/** Nobody's prompt holds what a script reads. */
function wholeResults({ names }: ToolView): ResultLimits {
  return {
    ...defaultResultLimits,
    overrides: Object.fromEntries([...names].map((name) => [name, Number.POSITIVE_INFINITY])),
  };
}

/** The result without secrets. */
function redactResult(result: ToolRunResult, redact: Redactor): ToolRunResult {
  return { ...result, content: redact(result.content) };
}

function ownLimitMs(tool: Tool, settings: ToolSettings): number {
  // A tool that keeps its own time needs a limit only against a backend that hangs.
  if (tool.timeoutMs === Number.POSITIVE_INFINITY) return settings.maxForegroundMs + 60_000;
  return tool.timeoutMs ?? settings.terminalTimeoutMs + 60_000;
}

async function limitResult(
  { setup, call, options, tool }: ApprovedCall,
  result: ToolRunResult,
): Promise<ToolRunResult & Partial<StoredResult>> {
  const limit = resultLimitOf(tool, setup.limits);
  if (result.content.length <= limit) return result;
  const stored = await storeResult(
    result.content,
    storeOptionsOf(setup, call.id, { unstoredChars: limit, signal: options.signal }),
  );
  return { ...result, ...stored };
}
