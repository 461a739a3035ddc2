const brand: unique symbol = Symbol.for('@talaria/error');

/** What every Talaria error is made of. */
export interface TalariaErrorOptions<Code extends string = string> {
  /** Stable `<boundary>.<what>`, for example `sandbox.lost`. Branch on it; it is never renamed. */
  readonly code: Code;
  /** One sentence: what the reader can do now. */
  readonly hint?: string | undefined;
  /** The same call may succeed later. @default false */
  readonly retryable?: boolean | undefined;
  /** The error underneath. */
  readonly cause?: unknown;
}

/** Root of the error tree. The class says who must act, `code` says what happened, `hint` says what to do. */
export abstract class TalariaError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly hint: string | undefined;
  readonly retryable: boolean;

  protected constructor(message: string, options: TalariaErrorOptions<Code>) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.code = options.code;
    this.hint = options.hint;
    this.retryable = options.retryable ?? false;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Whether a value is an error of this tree, from whichever copy of the package. */
export function isTalariaError(value: unknown): value is TalariaError {
  return typeof value === 'object' && value !== null && brand in value;
}

/** The user must act: wrong configuration, wrong arguments, a missing package or tool. */
export class ConfigError extends TalariaError<`config.${string}`> {
  constructor(message: string, options: TalariaErrorOptions<`config.${string}`>) {
    super(message, options);
  }
}

/** Fields that a {@link ModelError} has beyond the others. */
export interface ModelErrorOptions extends TalariaErrorOptions<`model.${string}`> {
  /** HTTP status, where there was an answer. */
  readonly status?: number | undefined;
  /** The provider's identifier of the request. */
  readonly requestId?: string | undefined;
  /** How many times the request was sent. */
  readonly attempts?: number | undefined;
  /** Start of the answer's body, secrets removed, at most 500 characters. */
  readonly bodyExcerpt?: string | undefined;
}

/** The model endpoint failed, refused, or answered what cannot be read. */
export class ModelError extends TalariaError<`model.${string}`> {
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly attempts: number | undefined;
  readonly bodyExcerpt: string | undefined;

  constructor(message: string, options: ModelErrorOptions) {
    super(message, options);
    this.status = options.status;
    this.requestId = options.requestId;
    this.attempts = options.attempts;
    this.bodyExcerpt = options.bodyExcerpt;
  }
}

/** Fields that a {@link SandboxError} has beyond the others. */
export interface SandboxErrorOptions extends TalariaErrorOptions<`sandbox.${string}`> {
  /** Backend kind, for example `local`. */
  readonly backend: string;
  readonly phase: 'create' | 'exec' | 'transfer' | 'dispose';
  /** Whether a command or transfer may already have had an effect; only `false` may be tried again. */
  readonly started: boolean;
}

/** A backend failed to do what it was asked: the command may not have run. */
export class SandboxError extends TalariaError<`sandbox.${string}`> {
  readonly backend: string;
  readonly phase: 'create' | 'exec' | 'transfer' | 'dispose';
  readonly started: boolean;

  constructor(message: string, options: SandboxErrorOptions) {
    super(message, options);
    this.backend = options.backend;
    this.phase = options.phase;
    this.started = options.started;
  }
}

/** The author of an environment, a tool or a task must act. */
export class TaskError extends TalariaError<`task.${string}`> {
  constructor(message: string, options: TalariaErrorOptions<`task.${string}`>) {
    super(message, options);
  }
}

/** A file, journal or checkpoint cannot be used: missing, locked, damaged, no space. */
export class StateError extends TalariaError<`state.${string}`> {
  constructor(message: string, options: TalariaErrorOptions<`state.${string}`>) {
    super(message, options);
  }
}

/** A fault of Talaria itself. */
export class InternalError extends TalariaError<`internal.${string}`> {
  constructor(message: string, options: TalariaErrorOptions<`internal.${string}`>) {
    super(message, options);
  }
}

/** The message of anything that was thrown. */
export function errorMessage(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string') {
    return error.message;
  }
  return String(error);
}

/** The system's error code (`ENOENT`, `EPIPE`, …) of anything that was thrown, where it has one. */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return undefined;
}

/** Marks the branch of a `switch` that the types say cannot be reached. @throws InternalError `internal.unreachable` */
export function assertNever(value: never): never {
  throw new InternalError(`Unexpected value: ${String(value)}`, { code: 'internal.unreachable' });
}
