import {
  type Clock,
  ConfigError,
  type CreateId,
  createId,
  type Logger,
  silentLogger,
  systemClock,
} from '@talaria/core';
import type { SandboxLease } from '@talaria/terminal-backends';
import type { ToolDispatcher } from '@talaria/tools';

/** Options of {@link createToolContext}. */
export interface ToolContextOptions {
  readonly taskId: string;
  /** The rollout's sandbox. Used, never closed. */
  readonly lease: SandboxLease;
  /** Every tool of the registry, without the limits that the model's has: what `callTool` reaches. */
  readonly tools: ToolDispatcher;
  /** Stops whatever runs; every method then rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Per command, where the call names none. @default 180_000 */
  readonly defaultTimeoutMs?: number | undefined;
  /** Most bytes of a command's output, and of one read, where the call names none. @default 10_485_760 */
  readonly maxOutputBytes?: number | undefined;
  /** Most time that `cleanup` waits. @default 30_000 */
  readonly cleanupTimeoutMs?: number | undefined;
  /** @default the system's */
  readonly clock?: Clock | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
  /** @default random */
  readonly createId?: CreateId | undefined;
}

/** Options with every default in place. */
export interface ToolContextSettings {
  readonly taskId: string;
  readonly lease: SandboxLease;
  readonly tools: ToolDispatcher;
  readonly signal: AbortSignal | undefined;
  readonly defaultTimeoutMs: number;
  readonly maxOutputBytes: number;
  readonly cleanupTimeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly createId: CreateId;
}

/** Checks the numbers and fills in the defaults. @throws ConfigError `config.invalid` */
export function resolveSettings(options: ToolContextOptions): ToolContextSettings {
  return {
    taskId: options.taskId,
    lease: options.lease,
    tools: options.tools,
    signal: options.signal,
    defaultTimeoutMs: positive('defaultTimeoutMs', options.defaultTimeoutMs ?? 180_000),
    maxOutputBytes: positive('maxOutputBytes', options.maxOutputBytes ?? 10_485_760),
    cleanupTimeoutMs: positive('cleanupTimeoutMs', options.cleanupTimeoutMs ?? 30_000),
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
    createId: options.createId ?? createId,
  };
}

function positive(name: string, value: number): number {
  if (value > 0) return value;
  throw new ConfigError(`ToolContextOptions.${name} is ${value}`, {
    code: 'config.invalid',
    hint: 'Give a number above 0.',
  });
}
