import { settleWithin } from '@talaria/core';
import { dispatchCall } from './dispatch-call.ts';
import { limitTurn } from './limit-turn.ts';
import type { ToolDispatcher } from './tool-dispatcher.ts';
import { resolveDispatcherOptions, type ToolDispatcherOptions } from './tool-dispatcher-options.ts';

/** How long the disposal waits for background processes to end. */
const disposalMs = 30_000;

/**
 * Creates the dispatcher of one rollout. Disposing it ends the background processes that its tools started, unless it
 * was given a state, which is its owner's like the sandbox. @throws ConfigError `config.invalid` for a limit that is not a positive number
 */
export function createToolDispatcher(options: ToolDispatcherOptions): ToolDispatcher & AsyncDisposable {
  const setup = resolveDispatcherOptions(options);
  const { view, state, logger } = setup;
  const isOwnState = options.state === undefined;
  return {
    definitions: view.definitions,
    isParallelSafe: (toolName) => view.get(toolName)?.isParallelSafe ?? false,
    dispatch: (call, dispatchOptions) => dispatchCall(setup, call, dispatchOptions),
    limitTurn: (outcomes, dispatchOptions) => limitTurn(setup, outcomes, dispatchOptions),
    async [Symbol.asyncDispose]() {
      if (isOwnState) await settleWithin(async () => state[Symbol.asyncDispose](), disposalMs, logger);
    },
  };
}
