import { errorMessage, isAbortOf, isJsonObject, isTalariaError, type JsonObject, parseJson } from '@talaria/core';
import type { ToolCallOutcome, ToolDispatcher, ToolErrorKind } from '@talaria/tools';

/** A tool of {@link createTestTools}. */
export interface TestTool {
  readonly isParallelSafe?: boolean;
  readonly execute: (args: JsonObject, signal: AbortSignal | undefined) => Promise<string> | string;
}

/** A dispatcher over functions in memory. */
export interface TestTools extends ToolDispatcher {
  /** Names of the tools that were run, in the order of their start. */
  readonly started: readonly string[];
  /** Calls that have not settled. */
  readonly activeCount: number;
  readonly userTasks: readonly (string | undefined)[];
}

export function createTestTools(
  tools: Readonly<Record<string, TestTool>>,
  overrides: Partial<Pick<ToolDispatcher, 'dispatch' | 'limitTurn'>> = {},
): TestTools {
  const started: string[] = [];
  const userTasks: (string | undefined)[] = [];
  let activeCount = 0;

  const dispatcher: TestTools = {
    started,
    userTasks,
    get activeCount() {
      return activeCount;
    },
    definitions: Object.keys(tools)
      .sort()
      .map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })),
    isParallelSafe: (name) => tools[name]?.isParallelSafe ?? false,
    async dispatch(call, { signal, userTask } = {}) {
      const { name, arguments: text } = call.function;
      userTasks.push(userTask);
      signal?.throwIfAborted();
      const outcome = (content: string, errorKind: ToolErrorKind | null = null): ToolCallOutcome => ({
        toolCallId: call.id,
        toolName: name,
        content: errorKind === null ? content : JSON.stringify({ error: content, error_kind: errorKind }),
        isError: errorKind !== null,
        errorKind,
        durationMs: 0,
        coercions: [],
        storedAt: null,
      });
      const tool = tools[name];
      if (tool === undefined) return outcome(`Unknown tool: ${name}`, 'unknown_tool');
      const args = parseJson(text === '' ? '{}' : text);
      if (!args.ok || !isJsonObject(args.value)) return outcome('Arguments are no JSON object', 'invalid_args');
      started.push(name);
      activeCount += 1;
      try {
        return outcome(await tool.execute(args.value, signal));
      } catch (error) {
        if (isAbortOf(error, signal) || (isTalariaError(error) && error.code === 'sandbox.lost')) throw error;
        return outcome(errorMessage(error), 'internal');
      } finally {
        activeCount -= 1;
      }
    },
    limitTurn: async (outcomes) => outcomes,
  };
  return Object.assign(dispatcher, overrides);
}
