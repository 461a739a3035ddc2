import {
  type Clock,
  DeadlineExceeded,
  errorMessage,
  type JsonObject,
  type JsonValue,
  type Logger,
} from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { describeFailure, isSandboxLost } from './sandbox-failure.ts';
import type { Tool, ToolCallContext, ToolErrorKind, ToolResult } from './tool.ts';
import { errorKindOf, isToolResult, toolError } from './tool-result.ts';

/** How long a tool may take to end after its signal was aborted, before it is left to itself. */
const graceMs = 10_000;

/** A result as text, with its verdict. */
export interface ToolRunResult {
  readonly content: string;
  readonly errorKind: ToolErrorKind | null;
}

/** What {@link runTool} needs. */
export interface ToolRun {
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly timeLimitMs: number | null;
  /** The caller's. */
  readonly signal: AbortSignal | undefined;
  readonly openSandbox: (signal: AbortSignal) => Promise<SandboxHandle>;
  readonly createContext: (signal: AbortSignal, sandbox: () => Promise<SandboxHandle>) => ToolCallContext;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Runs a tool under its time limit. What it throws, and a limit that it does not keep, become error results; the caller's
 * abort, a sandbox that cannot be opened and one that was lost reject, once the tool has stopped.
 */
export async function runTool(run: ToolRun): Promise<ToolRunResult> {
  const { tool, args, signal, timeLimitMs } = run;
  signal?.throwIfAborted();
  using limit = openToolLimit(run);
  let openingFailure: { readonly error: unknown } | undefined;
  let opening: Promise<SandboxHandle> | undefined;
  const openSandbox = async (): Promise<SandboxHandle> => {
    try {
      opening ??= limit.pauseFor(() => run.openSandbox(signal ?? limit.signal));
      return await opening;
    } catch (error) {
      openingFailure = { error };
      throw error;
    }
  };
  // Asynchronous, so that a tool that throws at once is treated like one that rejects.
  const execute = async (): Promise<Returned> => tool.execute(args, run.createContext(limit.signal, openSandbox));
  const settled = await settleAfterAbort(execute(), limit.signal, run);
  signal?.throwIfAborted();
  if (openingFailure !== undefined) throw openingFailure.error;
  if (settled.kind === 'failed' && isSandboxLost(settled.error)) throw settled.error;
  if (limit.isExpired() && (settled.kind !== 'returned' || verdictOf(settled.value) !== null)) {
    const seconds = Math.round((timeLimitMs ?? 0) / 1_000);
    return asText(
      toolError('timeout', `The call did not finish within ${seconds} s and was stopped. Ask for less at once.`),
    );
  }
  if (settled.kind === 'returned') return asText(settled.value);
  if (settled.kind === 'abandoned') return asText(toolError('internal', 'The call did not stop.'));
  const failure = describeFailure(settled.error);
  run.logger.warn('tool.failed', { tool: tool.definition.function.name, message: failure.message });
  return asText(toolError(failure.kind, `The tool failed: ${failure.message}`));
}

/** A failure as the model sees it, for calls that do not reach a tool. */
export function failedRun(kind: ToolErrorKind, message: string): ToolRunResult {
  return asText(toolError(kind, message));
}

type Returned = JsonValue | ToolResult | undefined;

type Settled =
  | { readonly kind: 'returned'; readonly value: Returned }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'abandoned' };

function verdictOf(value: Returned): ToolErrorKind | null {
  return isToolResult(value) ? value.errorKind : errorKindOf(value);
}

/** A string as it is, anything else as JSON in one line. */
function asText(value: Returned): ToolRunResult {
  try {
    const content = isToolResult(value) ? value.content : value;
    const text: string | undefined = typeof content === 'string' ? content : JSON.stringify(content ?? {});
    // Of a function or a symbol, which only untyped tools return, there is no JSON at all.
    if (text === undefined) return unwritable(`it is a ${typeof content}`);
    return { content: text, errorKind: verdictOf(value) };
  } catch (error) {
    return unwritable(errorMessage(error));
  }
}

function unwritable(why: string): ToolRunResult {
  return asText(toolError('internal', `The tool's result cannot be written as JSON: ${why}`));
}

/** Waits for the tool; once its signal is aborted, only for the grace time. */
function settleAfterAbort(work: Promise<Returned>, signal: AbortSignal, run: ToolRun): Promise<Settled> {
  return new Promise((resolve) => {
    let cancel: (() => void) | undefined;
    function startGrace(): void {
      cancel = run.clock.schedule(graceMs, () => {
        run.logger.error('tool.abandoned', { tool: run.tool.definition.function.name, graceMs });
        resolve({ kind: 'abandoned' });
      });
    }
    function settle(settled: Settled): void {
      cancel?.();
      signal.removeEventListener('abort', startGrace);
      resolve(settled);
    }
    if (signal.aborted) startGrace();
    else signal.addEventListener('abort', startGrace, { once: true });
    work.then(
      (value) => settle({ kind: 'returned', value }),
      (error: unknown) => settle({ kind: 'failed', error }),
    );
  });
}

interface ToolLimit extends Disposable {
  readonly signal: AbortSignal;
  readonly isExpired: () => boolean;
  /** Does something whose time does not count, and starts the limit afresh. */
  readonly pauseFor: <Value>(action: () => Promise<Value>) => Promise<Value>;
}

/** Like a deadline, but the opening of the sandbox, which may pull an image, is not the tool's time. */
function openToolLimit({ clock, timeLimitMs, signal: parent }: ToolRun): ToolLimit {
  const controller = new AbortController();
  let expired = false;
  let cancel: (() => void) | undefined;
  function follow(): void {
    controller.abort(parent?.reason);
  }
  function start(): void {
    if (timeLimitMs === null || timeLimitMs === Number.POSITIVE_INFINITY || controller.signal.aborted) return;
    cancel = clock.schedule(timeLimitMs, () => {
      expired = true;
      controller.abort(new DeadlineExceeded(timeLimitMs));
    });
  }
  if (parent?.aborted) follow();
  else parent?.addEventListener('abort', follow, { once: true });
  start();
  return {
    signal: controller.signal,
    isExpired: () => expired,
    async pauseFor(action) {
      cancel?.();
      const value = await action();
      start();
      return value;
    },
    [Symbol.dispose]() {
      cancel?.();
      parent?.removeEventListener('abort', follow);
    },
  };
}
