import { type Logger, mapConcurrent, SandboxError } from '@talaria/core';
import type { BackendKind, SandboxListing } from '@talaria/terminal-backends';
import type { OpenedBackend } from '../backends/opened-backend.ts';
import { exitCodes } from '../exit-code.ts';
import { formatNumber } from '../format-quantity.ts';
import type { Host } from '../host.ts';
import { oneLine } from '../one-line.ts';
import { describeError } from '../report-error.ts';
import { type ChosenBackend, chooseBackends } from './choose-backends.ts';
import { confirm } from './confirm.ts';
import { findSandboxes, isLeftover } from './find-sandboxes.ts';
import type { SandboxesRequest } from './read-sandboxes-arguments.ts';
import { encodeOutcome, reasonOf, tellFailures } from './report-failures.ts';
import { type Visit, type VisitFailure, type VisitOptions, visitBackends } from './visit-backends.ts';

/** Longest time for one backend: ending what runs in many sandboxes takes a while. */
const timeoutMs = 300_000;
const removalsAtOnce = 8;

/** What became of the sandboxes of one backend. */
interface Removals {
  readonly removed: readonly string[];
  readonly failed: readonly VisitFailure[];
}

/**
 * `talaria sandboxes sweep`: removes what programs left that have ended; with `--all`, after a question, what others use
 * too. Nothing of what a living program owns is touched otherwise.
 */
export async function sweepSandboxes(
  host: Host,
  request: SandboxesRequest,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<number> {
  const chosen = await chooseBackends(host, request);
  const visit: VisitOptions = { host, request, logger, signal, timeoutMs };
  if (request.isAll && !(await isMeant(chosen, visit))) {
    host.stderr.write('Nothing was removed.\n');
    return exitCodes.done;
  }
  const visits = await visitBackends(chosen, visit, (backend, visitSignal) => clear(backend, visit, visitSignal));
  return report(host, request, visits);
}

/** Tells how many are in use before they are taken away from somebody. */
async function isMeant(chosen: readonly ChosenBackend[], visit: VisitOptions): Promise<boolean> {
  const { host, request, signal: stop } = visit;
  if (request.isConfirmed) return true;
  const now = host.clock.now();
  const visits = await visitBackends(chosen, visit, (backend, signal) =>
    findSandboxes(backend, request, { now, signal }),
  );
  const listings = visits.flatMap((entry) => ('found' in entry ? entry.found : []));
  const usedCount = listings.filter((listing) => !isLeftover(listing, now)).length;
  if (usedCount === 0) return true;
  const used = `${usedCount} of them of programs that may be running`;
  return await confirm(host, `Remove ${formatNumber(listings.length, 'sandbox', 'sandboxes')}, ${used}?`, stop);
}

async function clear(backend: OpenedBackend, visit: VisitOptions, signal: AbortSignal): Promise<Removals> {
  const { request, host } = visit;
  const { isAll, olderThanMs } = request;
  const now = host.clock.now();
  const named: Removals = { removed: [], failed: [] };
  if (!isAll && olderThanMs === null) return await sweep(backend, named, signal);
  const listings = await findSandboxes(backend, request, { now, signal });
  const targets = listings.filter((listing) => isAll || isLeftover(listing, now));
  const removals = await removeEach(backend, targets, signal);
  // What was only written down has no age, and is nobody's.
  return olderThanMs === null ? await sweep(backend, removals, signal) : removals;
}

async function sweep(backend: OpenedBackend, before: Removals, signal: AbortSignal): Promise<Removals> {
  const { removed, failed } = await backend.sweep({ signal });
  const failures = failed.map(({ name, reason }) => failureOf(backend.kind, name, { message: reason }));
  return { removed: [...before.removed, ...removed], failed: [...before.failed, ...failures] };
}

async function removeEach(
  backend: OpenedBackend,
  targets: readonly SandboxListing[],
  signal: AbortSignal,
): Promise<Removals> {
  const removed: string[] = [];
  const failed: VisitFailure[] = [];
  await mapConcurrent(
    targets,
    removalsAtOnce,
    async ({ id }) => {
      try {
        if (backend.remove === undefined) throw cannotRemove(backend.kind);
        if (await backend.remove(id, { signal })) removed.push(id);
      } catch (error) {
        signal.throwIfAborted();
        failed.push(failureOf(backend.kind, id, describeError(error)));
      }
    },
    { signal },
  );
  return { removed, failed };
}

function cannotRemove(kind: BackendKind): SandboxError {
  return new SandboxError(`The backend ${kind} cannot remove a single sandbox`, {
    code: 'sandbox.unsupported',
    backend: kind,
    phase: 'dispose',
    started: false,
    hint: 'A sweep without --all and --older-than removes what programs left that have ended.',
  });
}

function failureOf(
  backend: BackendKind,
  id: string,
  { message, code = null, hint = null }: { message: string; code?: string | null; hint?: string | null },
): VisitFailure {
  return { backend, id, message, code, hint, isExpected: true };
}

function report(host: Host, { isJson }: SandboxesRequest, visits: readonly Visit<Removals>[]): number {
  const removed = visits.flatMap((visit) =>
    'found' in visit ? visit.found.removed.map((id) => ({ backend: visit.kind, id })) : [],
  );
  const failures = visits.flatMap((visit) => ('found' in visit ? visit.found.failed : [visit.failure]));
  const answering = visits.flatMap((visit) => ('found' in visit ? [visit.kind] : []));
  const hasWorked = removed.length > 0 || visits.some((visit) => 'found' in visit && visit.found.failed.length === 0);
  const reason = reasonOf(failures, hasWorked);
  if (isJson) {
    const { head, failed } = encodeOutcome(reason, failures);
    host.stdout.write(`${JSON.stringify({ ...head, backends: answering, removed, failed })}\n`);
    return exitCodes[reason];
  }
  for (const { backend, id } of removed) host.stdout.write(`removed ${backend} ${oneLine(id)}\n`);
  tellFailures(host, failures);
  if (removed.length === 0 && failures.every(({ id }) => id === null) && answering.length > 0) {
    host.stdout.write(`Nothing to remove (asked: ${answering.join(', ')}).\n`);
  }
  return exitCodes[reason];
}
