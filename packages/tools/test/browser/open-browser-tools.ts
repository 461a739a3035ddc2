import type { ToolStateKey } from '@talaria/tools';
import { createBuiltinRegistry, createToolState, type ToolState } from '@talaria/tools';
import { type BrowserToolsOptions, createBrowserTools } from '@talaria/tools/browser';
import { createTestDispatcher, type TestDispatcher, type TestDispatcherOptions } from '@talaria/tools/testing';

export type { ToolState, ToolStateKey };

/** A rollout with the browser tools. Disposing of it ends the rollout. */
export interface BrowserTools extends TestDispatcher {
  readonly state: ToolState;
}

/** Creates a dispatcher of the browser tools alone. */
export function openBrowserTools(
  options: BrowserToolsOptions,
  dispatcherOptions: TestDispatcherOptions = {},
): BrowserTools {
  const view = createBuiltinRegistry(createBrowserTools(options)).view({ enabled: ['browser'] });
  const state = dispatcherOptions.state ?? createToolState();
  const dispatcher = createTestDispatcher({ ...dispatcherOptions, view, state });
  return {
    ...dispatcher,
    state,
    async [Symbol.asyncDispose]() {
      await dispatcher[Symbol.asyncDispose]();
      await state[Symbol.asyncDispose]();
    },
  };
}

/** The ref of the first line of a snapshot that matches. */
export function refIn(snapshot: unknown, pattern: RegExp): string {
  const line = String(snapshot)
    .split('\n')
    .find((candidate) => pattern.test(candidate));
  const ref = /\[ref=([^\]]+)\]/.exec(line ?? '')?.[1];
  if (ref === undefined) throw new Error(`No ref at ${pattern} in:\n${String(snapshot)}`);
  return ref;
}
