import {
  type Clock,
  errorMessage,
  type Failure,
  isTalariaError,
  type Logger,
  mapConcurrent,
  type RunEventBody,
  type ToolCall,
  toFailure,
} from '@talaria/core';
import type { ToolCallOutcome, ToolDispatcher, ToolErrorKind } from '@talaria/tools';
import type { AnsweredCall } from './read-answer.ts';

/** Options of {@link runToolCalls}. */
export interface ToolRoundOptions {
  readonly turn: number;
  readonly tools: ToolDispatcher;
  readonly maxConcurrentCalls: number;
  readonly userTask: string | undefined;
  /** The clock's time when the loop began. */
  readonly loopStartedAtMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly emit: (event: RunEventBody) => void;
  readonly signal: AbortSignal;
}

/** One tool call, done. */
export interface ToolCallResult {
  readonly call: ToolCall;
  readonly outcome: ToolCallOutcome;
  /** Milliseconds since the loop began. */
  readonly startedAtMs: number;
  readonly durationMs: number;
}

/** The calls of one turn, done. */
export interface ToolRound {
  /** In the order of the calls. */
  readonly results: readonly ToolCallResult[];
  readonly toolsMs: number;
  /** Set where the sandbox went away. */
  readonly sandboxFailure: Failure | null;
}

/** A call that takes longer than this is reported. */
const slowCallMs = 30_000;

/**
 * Runs the calls of one turn in order; neighbours that are parallel-safe run at the same time. Every call gets a result,
 * those too that could not be run any more. Never rejects; resolves once nothing runs.
 */
export async function runToolCalls(calls: readonly AnsweredCall[], options: ToolRoundOptions): Promise<ToolRound> {
  const { clock, tools, maxConcurrentCalls } = options;
  const startedAtMs = clock.monotonicMs();
  const round = new RunningRound(options);
  const results: (readonly ToolCallResult[])[] = [];
  for (const group of groupCalls(calls, (name) => tools.isParallelSafe(name))) {
    results.push(await mapConcurrent(group, maxConcurrentCalls, (entry) => round.run(entry)));
  }
  const limited = await round.limit(results.flat());
  return { results: limited, toolsMs: clock.monotonicMs() - startedAtMs, sandboxFailure: round.sandboxFailure };
}

/** Splits calls into runs of parallel-safe neighbours, and single others. */
export function groupCalls(
  calls: readonly AnsweredCall[],
  isParallelSafe: (toolName: string) => boolean,
): readonly (readonly AnsweredCall[])[] {
  const groups: AnsweredCall[][] = [];
  let isOpen = false;
  for (const entry of calls) {
    const isSafe = isParallelSafe(entry.call.function.name);
    const last = groups.at(-1);
    if (isSafe && isOpen && last !== undefined) last.push(entry);
    else groups.push([entry]);
    isOpen = isSafe;
  }
  return groups;
}

class RunningRound {
  readonly #options: ToolRoundOptions;
  sandboxFailure: Failure | null = null;

  constructor(options: ToolRoundOptions) {
    this.#options = options;
  }

  async run(entry: AnsweredCall): Promise<ToolCallResult> {
    const { turn, clock, emit, logger, loopStartedAtMs } = this.#options;
    const { call } = entry;
    const toolCallId = call.id;
    const toolName = call.function.name;
    const startedAtMs = clock.monotonicMs();
    emit({ type: 'tool-call-start', turn, toolCallId, toolName, arguments: call.function.arguments });
    const outcome = this.#refusal(entry) ?? (await this.#dispatch(entry));
    const durationMs = clock.monotonicMs() - startedAtMs;
    emit({ type: 'tool-call-end', turn, toolCallId, toolName, isError: outcome.isError, durationMs });
    if (durationMs > slowCallMs) logger.warn('agent-loop.slow-call', { turn, toolCallId, toolName, durationMs });
    return { call, outcome, startedAtMs: startedAtMs - loopStartedAtMs, durationMs };
  }

  /** Applies the limit on the results of the whole turn. */
  async limit(results: readonly ToolCallResult[]): Promise<readonly ToolCallResult[]> {
    const { tools, signal, userTask, logger, turn } = this.#options;
    if (signal.aborted || this.sandboxFailure !== null) return results;
    try {
      const outcomes = await tools.limitTurn(
        results.map((result) => result.outcome),
        { signal, userTask },
      );
      return results.map((result, index) => ({ ...result, outcome: outcomes[index] ?? result.outcome }));
    } catch (error) {
      if (signal.aborted) return results;
      if (isSandboxFailure(error)) this.sandboxFailure = toFailure(error, 'sandbox');
      else logger.warn('agent-loop.limit-failed', { turn, message: errorMessage(error) });
      return results;
    }
  }

  #refusal(entry: AnsweredCall): ToolCallOutcome | null {
    if (!entry.isComplete) {
      return errorOutcome(entry, 'invalid_args', 'The answer was cut before this call was complete; it was not run.');
    }
    if (this.sandboxFailure !== null) return errorOutcome(entry, 'sandbox_lost', 'Not run: the sandbox is gone.');
    if (this.#options.signal.aborted)
      return errorOutcome(entry, 'interrupted', 'Not run: the conversation was stopped.');
    return null;
  }

  async #dispatch(entry: AnsweredCall): Promise<ToolCallOutcome> {
    const { tools, signal, userTask, logger, turn } = this.#options;
    try {
      return await tools.dispatch(entry.call, { signal, userTask, isFromText: entry.isFromText });
    } catch (error) {
      if (signal.aborted) return errorOutcome(entry, 'interrupted', 'The call was stopped before it was done.');
      if (isSandboxFailure(error)) {
        this.sandboxFailure ??= toFailure(error, 'sandbox');
        return errorOutcome(entry, 'sandbox_lost', 'The sandbox is gone.');
      }
      logger.warn('agent-loop.tool-threw', { turn, toolName: entry.call.function.name, message: errorMessage(error) });
      return errorOutcome(entry, 'internal', `The tool failed: ${errorMessage(error)}`);
    }
  }
}

/** A failure of the backend is nothing that the model could mend: it ends the conversation. */
function isSandboxFailure(error: unknown): boolean {
  return isTalariaError(error) && error.code.startsWith('sandbox.');
}

function errorOutcome({ call }: AnsweredCall, errorKind: ToolErrorKind, message: string): ToolCallOutcome {
  return {
    toolCallId: call.id,
    toolName: call.function.name,
    content: JSON.stringify({ error: message, error_kind: errorKind }),
    isError: true,
    errorKind,
    durationMs: 0,
    coercions: [],
    storedAt: null,
  };
}
