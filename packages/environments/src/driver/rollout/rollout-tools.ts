import type { JsonObject } from '@talaria/core';
import type { SandboxLease } from '@talaria/terminal-backends';
import {
  allowAll,
  createToolDispatcher,
  type ToolDispatcher,
  type ToolDispatcherOptions,
  type ToolSettings,
  type ToolState,
  type ToolView,
} from '@talaria/tools';
import type { RunScope } from '../run/run-scope.ts';

/** The rollout that tools are opened for. */
export interface ToolOwner {
  readonly rolloutId: string;
  /** Its sandbox. */
  readonly lease: SandboxLease;
  /** What its tools remember: verifiers find the background processes and the browser that the model left. */
  readonly state: ToolState;
  /** Whether its item lets tools visit addresses that the model names. */
  readonly isNetworkAllowed: boolean;
}

/** Opens the tools that the model is offered, as the configuration limits them. */
export function openModelTools<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  owner: ToolOwner,
  view: ToolView,
): ToolDispatcher & AsyncDisposable {
  const { env, tools } = scope.config;
  return createToolDispatcher({
    ...sharedOptions(scope, owner),
    view,
    settings: { ...toolSettings(scope), isNetworkAllowed: owner.isNetworkAllowed },
    maxToolMs: tools.max_tool_sec === null ? undefined : tools.max_tool_sec * 1000,
    lenientArguments: tools.lenient_arguments,
    resultLimits: {
      defaultResultChars: env.default_result_size_chars,
      turnBudgetChars: env.turn_budget_chars,
      previewChars: env.preview_size_chars,
      overrides: env.tool_result_overrides ?? {},
    },
    secrets: scope.options.secrets,
  });
}

/**
 * Opens every tool of the registry for verifiers, without what limits the model: nobody is asked, nothing is cut, stored
 * elsewhere, redacted or remarked upon.
 */
export function openVerifierTools<Item extends JsonObject, Config>(
  scope: RunScope<Item, Config>,
  owner: ToolOwner,
): ToolDispatcher & AsyncDisposable {
  const view = scope.everyTool;
  return createToolDispatcher({
    ...sharedOptions(scope, owner),
    view,
    settings: {
      ...toolSettings(scope),
      maxOutputChars: Number.POSITIVE_INFINITY,
      repeatPolicy: 'off',
      lint: false,
      safeRoot: null,
      maxCodeStderrChars: Number.POSITIVE_INFINITY,
    },
    approval: allowAll,
    resultLimits: {
      defaultResultChars: Number.POSITIVE_INFINITY,
      overrides: Object.fromEntries([...view.names].map((name) => [name, Number.POSITIVE_INFINITY])),
    },
  });
}

type SharedOptions = Pick<
  ToolDispatcherOptions,
  'taskId' | 'rolloutId' | 'sandbox' | 'state' | 'semaphore' | 'logger' | 'clock'
>;

function sharedOptions<Item extends JsonObject, Config>(
  { toolPlaces, logger, clock }: RunScope<Item, Config>,
  { rolloutId, lease, state }: ToolOwner,
): SharedOptions {
  return {
    taskId: rolloutId,
    rolloutId,
    sandbox: (signal) => lease.open({ signal }),
    state,
    semaphore: toolPlaces,
    logger,
    clock,
  };
}

function toolSettings<Item extends JsonObject, Config>({
  config: { terminal, tools },
}: RunScope<Item, Config>): Partial<ToolSettings> {
  return {
    terminalTimeoutMs: terminal.timeout_sec * 1000,
    maxForegroundMs: terminal.max_foreground_sec * 1000,
    maxOutputChars: tools.max_output_chars,
    collapseCarriageReturns: tools.collapse_carriage_returns,
    lineNumberStyle: tools.line_number_style,
    repeatPolicy: tools.repeat_policy,
    lint: tools.lint,
    safeRoot: tools.safe_root,
    codeTimeoutMs: tools.code_timeout_sec * 1000,
    maxCodeCalls: tools.max_code_calls,
    appendCodeStderr: tools.append_code_stderr,
  };
}
