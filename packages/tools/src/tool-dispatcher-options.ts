import {
  type Clock,
  ConfigError,
  createRedactor,
  type Logger,
  type Redactor,
  type Secret,
  type Semaphore,
  silentLogger,
  systemClock,
} from '@talaria/core';
import type { SandboxHandle } from '@talaria/terminal-backends';
import { type ApprovalPolicy, sandboxed } from './approval-policy.ts';
import { defaultResultLimits, type ResultLimits } from './result-limits.ts';
import type { ToolSettings } from './tool.ts';
import { resolveToolSettings } from './tool-settings.ts';
import { createToolState, type ToolState } from './tool-state.ts';
import type { ToolView } from './tool-view.ts';

/** What `createToolDispatcher` takes. */
export interface ToolDispatcherOptions {
  readonly view: ToolView;
  /** Opens the rollout's sandbox, or gives the one that is open. */
  readonly sandbox: (signal: AbortSignal) => Promise<SandboxHandle>;
  readonly taskId: string;
  readonly rolloutId: string;
  /**
   * What tools remember. One that is given may be shared with another dispatcher of the same rollout and stays its owner's to
   * dispose of. @default empty, disposed of with the dispatcher
   */
  readonly state?: ToolState | undefined;
  /** @default `defaultToolSettings` */
  readonly settings?: Partial<ToolSettings> | undefined;
  /** @default {@link sandboxed} */
  readonly approval?: ApprovalPolicy | undefined;
  /**
   * Coerce arguments that nearly fit, and say so in the outcome. `null`: those of calls that were read from text, which
   * models write that were not made for tool calls. @default null
   */
  readonly lenientArguments?: boolean | null | undefined;
  /**
   * Wall clock of any call. @default what the tool names itself, else the terminal's time-out and a minute
   */
  readonly maxToolMs?: number | undefined;
  /** Places that calls take, shared with other rollouts. Waiting for one is not the tool's time. @default none needed */
  readonly semaphore?: Semaphore | undefined;
  /** @default {@link defaultResultLimits} */
  readonly resultLimits?: Partial<ResultLimits> | undefined;
  /**
   * Values that no result may hold: every occurrence of 8 characters or more, exact or in one of its `secretForms`, becomes
   * `[redacted:NAME]`, before the model sees it and before it is stored. @default none
   */
  readonly secrets?: readonly Secret[] | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
  /** @default the real one */
  readonly clock?: Clock | undefined;
}

/** {@link ToolDispatcherOptions} with the defaults filled in. */
export interface DispatcherSetup {
  readonly view: ToolView;
  readonly openSandbox: (signal: AbortSignal) => Promise<SandboxHandle>;
  readonly taskId: string;
  readonly rolloutId: string;
  readonly state: ToolState;
  readonly settings: ToolSettings;
  readonly approval: ApprovalPolicy;
  /** `null`: as the call came. */
  readonly isLenient: boolean | null;
  /** `undefined`: each tool's own. */
  readonly maxToolMs: number | undefined;
  readonly semaphore: Semaphore | undefined;
  readonly limits: ResultLimits;
  readonly redact: Redactor;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Checks the options and fills in the defaults. */
export function resolveDispatcherOptions(options: ToolDispatcherOptions): DispatcherSetup {
  const { maxToolMs, resultLimits = {} } = options;
  const limits: ResultLimits = { ...defaultResultLimits, ...withoutUndefined(resultLimits) };
  checkPositive('maxToolMs', maxToolMs);
  checkPositive('resultLimits.defaultResultChars', limits.defaultResultChars);
  checkPositive('resultLimits.turnBudgetChars', limits.turnBudgetChars);
  checkPositive('resultLimits.previewChars', limits.previewChars);
  return {
    view: options.view,
    openSandbox: options.sandbox,
    taskId: options.taskId,
    rolloutId: options.rolloutId,
    state: options.state ?? createToolState(),
    settings: resolveToolSettings(options.settings),
    approval: options.approval ?? sandboxed,
    isLenient: options.lenientArguments ?? null,
    maxToolMs,
    semaphore: options.semaphore,
    limits,
    redact: createRedactor(options.secrets ?? []),
    logger: options.logger ?? silentLogger,
    clock: options.clock ?? systemClock,
  };
}

function withoutUndefined<Options extends object>(options: Options): Options {
  // Dropping fields that are undefined leaves a value of the same optional fields.
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}

function checkPositive(name: string, value: number | undefined): void {
  if (value === undefined || value > 0) return;
  throw new ConfigError(`${name} is ${value}`, { code: 'config.invalid', hint: 'Give a number greater than 0.' });
}
