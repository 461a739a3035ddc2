import { isAbortOf, type Logger, mapConcurrent, openDeadline, raceAbort, type Secret } from '@talaria/core';
import type { BackendKind } from '@talaria/terminal-backends';
import { openBackend } from '../backends/open-backend.ts';
import type { OpenedBackend } from '../backends/opened-backend.ts';
import type { Host } from '../host.ts';
import { describeError } from '../report-error.ts';
import type { ChosenBackend } from './choose-backends.ts';
import type { SandboxesRequest } from './read-sandboxes-arguments.ts';

/** What did not work. */
export interface VisitFailure {
  readonly backend: BackendKind;
  /** The sandbox that it is about; `null` for the whole backend. */
  readonly id: string | null;
  readonly message: string;
  readonly code: string | null;
  readonly hint: string | null;
  /** Whether it makes the command fail; another one is only told. */
  readonly isExpected: boolean;
}

/** What was found at a backend, or why nothing was. */
export type Visit<Found> =
  | { readonly kind: BackendKind; readonly found: Found }
  | { readonly kind: BackendKind; readonly failure: VisitFailure };

/** What {@link visitBackends} needs. */
export interface VisitOptions {
  readonly host: Host;
  readonly request: SandboxesRequest;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Longest time for each. */
  readonly timeoutMs: number;
}

/** Opens backends and does something with each, all at once and within a time; one that fails keeps none from the others. */
export async function visitBackends<Found>(
  chosen: readonly ChosenBackend[],
  options: VisitOptions,
  work: (backend: OpenedBackend, signal: AbortSignal) => Promise<Found>,
): Promise<readonly Visit<Found>[]> {
  const { host, request, logger, signal, timeoutMs } = options;
  return await mapConcurrent(
    chosen,
    Math.max(1, chosen.length),
    async ({ kind, isExpected }): Promise<Visit<Found>> => {
      const secrets: Secret[] = [];
      using deadline = openDeadline(host.clock, timeoutMs, signal);
      try {
        const resolved = request.configFor(kind);
        secrets.push(...resolved.secrets);
        const backend = await openBackend(host, resolved.config, { logger });
        return { kind, found: await raceAbort(work(backend, deadline.signal), deadline.signal) };
      } catch (error) {
        if (isAbortOf(error, signal)) throw error;
        const { message, code, hint } = describeError(error, secrets);
        return { kind, failure: { backend: kind, id: null, message, code, hint, isExpected } };
      }
    },
  );
}

/** Codes of errors that say no more than that a backend is not in use here. */
const absent: ReadonlySet<string | null> = new Set([
  'config.missing-package',
  'config.missing-program',
  'config.missing-credentials',
  'config.missing-key',
  'config.docker-unreachable',
  'config.backend-not-available',
]);

/** Whether a failure is worth a word: nobody asked for a backend that is simply not there. */
export function isWorthTelling({ isExpected, code }: VisitFailure): boolean {
  return isExpected || !absent.has(code);
}
