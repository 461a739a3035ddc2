import type { JsonObject } from '@talaria/core';

/** Which requests a fault strikes. */
export interface DaytonaFaultTarget {
  /**
   * Method and route, as the message about a wrong one lists them, for example `POST /process/execute`.
   * @default every request
   */
  readonly on?: string | undefined;
  /** Only requests for this sandbox, by id or name. @default all */
  readonly sandbox?: string | undefined;
  /** How many requests; `Infinity` until the faults are cleared. @default 1 */
  readonly times?: number | undefined;
  /** Requests that are let through first. @default 0 */
  readonly skip?: number | undefined;
}

/** A way for a request to go wrong. */
export type DaytonaFault = DaytonaFaultTarget &
  (
    | {
        /** Answers with this status and does nothing. */
        readonly fault: 'status';
        readonly status: number;
        readonly message?: string | undefined;
        /** Value of the header `Retry-After`. @default none */
        readonly retryAfter?: string | undefined;
        /** More fields of the body, for example `code` and `source`, by which the SDK chooses its error class. */
        readonly body?: JsonObject | undefined;
      }
    | {
        /** Takes longer: for requests before anything is done, for `POST /sandbox` until the sandbox is started. */
        readonly fault: 'slow';
        readonly durationMs: number;
      }
    | {
        /** Never answers. */
        readonly fault: 'silence';
        /** Do what was asked all the same. @default false */
        readonly hasEffect?: boolean | undefined;
      }
    | {
        /** Closes the connection instead of an answer. */
        readonly fault: 'hang-up';
        /** Do what was asked all the same. @default false */
        readonly hasEffect?: boolean | undefined;
      }
    | {
        /** Does what was asked, and breaks the connection within the answer; a WebSocket after `bytes` of messages. */
        readonly fault: 'cut';
        /** Bytes of the body that are sent. @default half of it, and of one that streams 1,000 */
        readonly bytes?: number | undefined;
      }
    | {
        /**
         * Before, or `afterMs` after the start of the request, somebody else does this to its sandbox: `lost` ends all
         * processes and answers 404 from then on.
         */
        readonly fault: 'lost' | 'stopped' | 'archived';
        readonly afterMs?: number | undefined;
      }
    | {
        /** A sandbox is made, and its image cannot be built. Strikes `POST /sandbox` only. */
        readonly fault: 'build-failed';
        /** Lines of the build log. */
        readonly logs: readonly string[];
        /** @default the last line */
        readonly reason?: string | undefined;
      }
    | {
        /** A sandbox is made and ends in the state `error`. Strikes `POST /sandbox` only. */
        readonly fault: 'create-failed';
        readonly reason: string;
      }
  );

/** What is asked of a plan for each request. */
export interface FaultQuestion {
  readonly route: string;
  /** Id and name of the sandbox that the request is for. */
  readonly names: readonly string[];
}

/** The faults to come. */
export interface FaultPlan {
  add(faults: readonly DaytonaFault[]): void;
  clear(): void;
  /** The fault that strikes this request, counted off. The oldest that fits wins. */
  take(question: FaultQuestion): DaytonaFault | null;
}

interface PlannedFault {
  readonly fault: DaytonaFault;
  skip: number;
  times: number;
}

/** Faults that are only about making a sandbox. */
const createFaults: readonly DaytonaFault['fault'][] = ['build-failed', 'create-failed'];

/** Creates a plan; `routes` are the ones that may be named. */
export function createFaultPlan(routes: readonly string[]): FaultPlan {
  let planned: PlannedFault[] = [];
  return {
    add(faults) {
      for (const fault of faults) {
        if (fault.on !== undefined && !routes.includes(fault.on)) {
          throw new Error(`No such route: '${fault.on}'. There are: ${routes.join(', ')}`);
        }
        planned.push({ fault, skip: fault.skip ?? 0, times: fault.times ?? 1 });
      }
    },
    clear() {
      planned = [];
    },
    take(question) {
      for (const entry of planned) {
        if (!strikes(entry.fault, question)) continue;
        if (entry.skip > 0) {
          entry.skip -= 1;
          continue;
        }
        entry.times -= 1;
        if (entry.times <= 0) planned = planned.filter((other) => other !== entry);
        return entry.fault;
      }
      return null;
    },
  };
}

function strikes({ fault, on, sandbox }: DaytonaFault, { route, names }: FaultQuestion): boolean {
  if (createFaults.includes(fault) && route !== 'POST /sandbox') return false;
  return (on === undefined || on === route) && (sandbox === undefined || names.includes(sandbox));
}
