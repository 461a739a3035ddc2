import type { ModalStatus } from './call-error.ts';

/** Which calls a fault strikes. */
export interface FaultTarget {
  /** Name of the call, for example `SandboxCreateV2` or `TaskExecStdioRead`. */
  readonly method: string;
  /** Only calls whose request, as JSON (bytes as their number), holds this text: an id, a word of a command. @default all */
  readonly requestIncludes?: string | undefined;
  /** Strikes so often, then never again. @default 1 */
  readonly times?: number | undefined;
}

/** Something that goes wrong, on demand. */
export type ModalFault =
  /** A status, in place of the work or after it was done (the answer was lost). */
  | (FaultTarget & {
      readonly fault: 'status';
      readonly status: ModalStatus;
      /** @default `before` */
      readonly phase?: 'before' | 'after' | undefined;
      readonly message?: string | undefined;
      /** The server's own word on when to come again. @default none */
      readonly retryAfterSeconds?: number | undefined;
    })
  /** The call is answered late. */
  | (FaultTarget & { readonly fault: 'delay'; readonly delayMs: number })
  /** The call is never answered. */
  | (FaultTarget & { readonly fault: 'silence' })
  /** A stream breaks after so many bytes of data, counted from where the call began to read. */
  | (FaultTarget & {
      readonly fault: 'cut';
      readonly afterBytes: number;
      /** @default `UNAVAILABLE` */
      readonly status?: ModalStatus | undefined;
    })
  /** An image cannot be built. */
  | {
      readonly fault: 'build';
      /** @default `failed` */
      readonly outcome?: 'failed' | 'terminated' | 'timed-out' | undefined;
      /** Lines of the log before that. @default none */
      readonly logLines?: readonly string[] | undefined;
      /** The exception that the SDK shows. @default a failed command */
      readonly message?: string | undefined;
      /** @default 1 */
      readonly times?: number | undefined;
    };

/** A fault of this kind. */
export type FaultOf<Kind extends ModalFault['fault']> = Extract<ModalFault, { readonly fault: Kind }>;

/** The faults that are still to come. */
export interface FaultPlan {
  add(faults: readonly ModalFault[]): void;
  clear(): void;
  /** The next fault of this kind that strikes such a call, which is then used up by one. */
  take<Kind extends ModalFault['fault']>(kind: Kind, method: string, request: string): FaultOf<Kind> | undefined;
}

/** Creates a plan. */
export function createFaultPlan(faults: readonly ModalFault[]): FaultPlan {
  let planned = faults.map(plan);
  return {
    add(more) {
      planned.push(...more.map(plan));
    },
    clear() {
      planned = [];
    },
    take(kind, method, request) {
      for (const entry of planned) {
        const { fault } = entry;
        if (entry.left === 0 || !isKind(fault, kind) || !strikes(fault, method, request)) continue;
        entry.left -= 1;
        return fault;
      }
      return undefined;
    },
  };
}

interface PlannedFault {
  readonly fault: ModalFault;
  left: number;
}

function plan(fault: ModalFault): PlannedFault {
  return { fault, left: fault.times ?? 1 };
}

function isKind<Kind extends ModalFault['fault']>(fault: ModalFault, kind: Kind): fault is FaultOf<Kind> {
  return fault.fault === kind;
}

function strikes(fault: ModalFault, method: string, request: string): boolean {
  if (fault.fault === 'build') return true;
  return fault.method === method && request.includes(fault.requestIncludes ?? '');
}
