import { isJsonObject, type JsonObject } from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { createBuiltinRegistry } from '../builtin-tools.ts';
import { createToolDispatcher } from '../create-tool-dispatcher.ts';
import type { ToolCallOutcome, ToolDispatcher } from '../tool-dispatcher.ts';
import type { ToolDispatcherOptions } from '../tool-dispatcher-options.ts';

/** What {@link createTestDispatcher} takes: what a dispatcher does, with defaults for everything but the sandbox. */
export interface TestDispatcherOptions extends Partial<Omit<ToolDispatcherOptions, 'sandbox'>> {
  /** @default none: a tool that asks for it fails the test */
  readonly sandbox?: SandboxHandle | undefined;
}

/** A dispatcher that can be called with plain values. */
export interface TestDispatcher extends ToolDispatcher, AsyncDisposable {
  /** Calls a tool as a model would. Ids are `call_1`, `call_2`, … */
  call(toolName: string, args: JsonObject | string, signal?: AbortSignal): Promise<ToolCallOutcome>;
  /** The same, with the result read as a JSON object. Throws where it is none. */
  callJson(toolName: string, args: JsonObject): Promise<JsonObject>;
}

/** Creates a dispatcher for tests, with every built-in tool unless a view is given. */
export function createTestDispatcher(options: TestDispatcherOptions = {}): TestDispatcher {
  const { sandbox, view = createBuiltinRegistry().view(), taskId = 'task', rolloutId = 'rollout' } = options;
  const dispatcher = createToolDispatcher({
    ...options,
    view,
    taskId,
    rolloutId,
    sandbox: async () => {
      if (sandbox === undefined) throw new TypeError('This test dispatcher has no sandbox');
      return sandbox;
    },
  });
  let count = 0;

  async function call(toolName: string, args: JsonObject | string, signal?: AbortSignal): Promise<ToolCallOutcome> {
    count += 1;
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    const toolCall = { id: `call_${count}`, type: 'function', function: { name: toolName, arguments: text } } as const;
    return dispatcher.dispatch(toolCall, { signal });
  }

  return {
    ...dispatcher,
    [Symbol.asyncDispose]: () => dispatcher[Symbol.asyncDispose](),
    call,
    async callJson(toolName, args) {
      const { content } = await call(toolName, args);
      const value: unknown = JSON.parse(content);
      if (!isJsonObject(value)) throw new TypeError(`The result of ${toolName} is no JSON object: ${content}`);
      return value;
    },
  };
}
