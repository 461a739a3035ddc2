import type { Logger } from '@talaria/core';
import { exitCodes } from '../exit-code.ts';
import { formatNumber } from '../format-quantity.ts';
import type { Host } from '../host.ts';
import { paintFor } from '../paint.ts';
import { chooseBackends } from './choose-backends.ts';
import { findSandboxes } from './find-sandboxes.ts';
import type { SandboxesRequest } from './read-sandboxes-arguments.ts';
import { encodeSandbox, renderSandboxes } from './render-sandboxes.ts';
import { encodeOutcome, reasonOf, tellFailures } from './report-failures.ts';
import { visitBackends } from './visit-backends.ts';

/** Longest time that a backend may take to tell of its sandboxes. */
const timeoutMs = 30_000;

/** `talaria sandboxes ls`: shows every sandbox that can be seen from here. */
export async function listSandboxes(
  host: Host,
  request: SandboxesRequest,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<number> {
  const chosen = await chooseBackends(host, request);
  const now = host.clock.now();
  const visits = await visitBackends(chosen, { host, request, logger, signal, timeoutMs }, (backend, visitSignal) =>
    findSandboxes(backend, request, { now, signal: visitSignal }),
  );
  const listings = visits.flatMap((visit) => ('found' in visit ? visit.found : []));
  const failures = visits.flatMap((visit) => ('failure' in visit ? [visit.failure] : []));
  const answering = visits.flatMap((visit) => ('found' in visit ? [visit.kind] : []));
  const reason = reasonOf(failures, answering.length > 0);
  if (request.isJson) {
    const { head, failed } = encodeOutcome(reason, failures);
    const report = { ...head, backends: answering, sandboxes: listings.map(encodeSandbox), failed };
    host.stdout.write(`${JSON.stringify(report)}\n`);
    return exitCodes[reason];
  }
  tellFailures(host, failures);
  if (listings.length > 0) host.stdout.write(renderSandboxes(listings, { now, paint: paintFor(host, host.stdout) }));
  else if (answering.length > 0) host.stdout.write(`No sandbox (asked: ${answering.join(', ')}).\n`);
  const leftCount = listings.filter(({ ownerState }) => ownerState === 'dead').length;
  if (leftCount > 0) {
    const left = formatNumber(leftCount, 'is left', 'are left');
    host.stdout.write(`${left} over from programs that have ended: ${host.programName} sandboxes sweep\n`);
  }
  return exitCodes[reason];
}
