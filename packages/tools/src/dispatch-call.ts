import { errorMessage, isTalariaError, type JsonObject, type ToolCall } from '@talaria/core';
import type { ApprovalDecision, ApprovalRequest } from './approval-policy.ts';
import { storeOptionsOf } from './limit-turn.ts';
import { parseArguments } from './parse-arguments.ts';
import { redactResult } from './redact-result.ts';
import { repeatTracker } from './repeat-tracker.ts';
import { resultLimitOf, type StoredResult, storeResult } from './result-limits.ts';
import { failedRun, runTool, type ToolRunResult } from './run-tool.ts';
import type { Tool, ToolSettings } from './tool.ts';
import type { DispatchOptions, ToolCallOutcome } from './tool-dispatcher.ts';
import type { DispatcherSetup } from './tool-dispatcher-options.ts';
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
  if (!parsed.ok) return finish(failedRun('invalid_args', parsed.message), []);
  const isLenient = setup.isLenient ?? options.isFromText ?? false;
  const checked = view.checkArguments(tool, parsed.args, isLenient);
  if (!checked.ok) return finish(failedRun('invalid_args', `Wrong arguments: ${checked.message}.`), checked.coercions);
  const approved: ApprovedCall = { setup, call, options, tool, args: checked.args };
  const result = (await refusalOf(approved)) ?? redactResult(await execute(approved), setup.secrets);
  return finish(await limitResult(approved, result), checked.coercions);
}

/** A call whose arguments fit. */
interface ApprovedCall {
  readonly setup: DispatcherSetup;
  readonly call: ToolCall;
  readonly options: DispatchOptions;
  readonly tool: Tool;
  readonly args: JsonObject;
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

async function execute({ setup, call, options, tool, args }: ApprovedCall): Promise<ToolRunResult> {
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
