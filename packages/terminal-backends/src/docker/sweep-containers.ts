import { type Clock, errorMessage, type Logger, mapConcurrent } from '@talaria/core';
import type Dockerode from 'dockerode';
import type { SandboxListing, SweepReport } from '../backend.ts';
import { isLeftover, readLeftoverRecords } from '../ledger/leftovers.ts';
import type { SandboxLedger } from '../ledger/sandbox-ledger.ts';
import { judgeSharedOwner, type OwnerState } from '../ledger/sandbox-owner.ts';
import { sweepPending } from '../ledger/sweep-pending.ts';
import { readLabels, sandboxLabel } from './container-labels.ts';
import type { DockerEngine } from './docker-engine.ts';
import { explainDockerError } from './docker-error.ts';
import { removeContainer } from './remove-container.ts';

/** What sweeps and lists need. */
export interface SweepTools {
  readonly ledger: SandboxLedger;
  readonly clock: Clock;
  readonly logger: Logger;
}

const removalsAtOnce = 8;
const millisecondsPerSecond = 1_000;

/** Tells of every container that bears Talaria's label, in any state, whoever made it. */
export async function listSandboxContainers(
  engine: DockerEngine,
  signal?: AbortSignal,
): Promise<readonly SandboxListing[]> {
  signal?.throwIfAborted();
  const containers = await readContainers(engine, signal);
  return await Promise.all(containers.map(describeContainer));
}

async function readContainers(
  engine: DockerEngine,
  signal: AbortSignal | undefined,
): Promise<Dockerode.ContainerInfo[]> {
  try {
    return await engine.client.listContainers({
      all: true,
      filters: { label: [sandboxLabel] },
      ...(signal === undefined ? {} : { abortSignal: signal }),
    });
  } catch (error) {
    throw explainDockerError(error, { action: 'list containers', phase: 'dispose', ...engine, signal });
  }
}

async function describeContainer(container: Dockerode.ContainerInfo): Promise<SandboxListing> {
  const { taskId, owner, expiresAt } = readLabels(container.Labels);
  const ownerState: OwnerState = owner === null ? 'unknown' : await judgeSharedOwner(owner);
  return {
    id: container.Names[0]?.replace(/^\//, '') ?? container.Id,
    backend: 'docker',
    taskId,
    owner,
    ownerState,
    createdAt: container.Created * millisecondsPerSecond,
    expiresAt,
    state: container.State,
  };
}

/**
 * Removes containers whose owner has died, in any state, and those of owners that cannot be judged from here once their
 * time is over; then what is written down about containers that do not exist. Every step may be done twice.
 */
export async function sweepContainers(
  engine: DockerEngine,
  tools: SweepTools,
  signal: AbortSignal | undefined,
): Promise<SweepReport> {
  signal?.throwIfAborted();
  await sweepPending(tools);
  const listings = await listSandboxContainers(engine, signal);
  const now = tools.clock.now();
  const leftovers = listings.filter((listing) => isLeftover(listing, now));
  const recorded = await readLeftoverRecords(tools.ledger, { backend: 'docker', place: engine.host }, now);
  const names = new Set([...leftovers.map(({ id }) => id), ...recorded]);
  const existing = new Set(listings.map(({ id }) => id));
  const removed: string[] = [];
  const failed: SweepReport['failed'][number][] = [];
  await mapConcurrent(
    [...names],
    removalsAtOnce,
    async (name) => {
      try {
        await removeContainer(engine.client.getContainer(name), tools.clock, signal);
        await tools.ledger.remove(name);
        if (existing.has(name)) removed.push(name);
      } catch (error) {
        failed.push({ name, reason: errorMessage(error) });
        tools.logger.warn('sandbox.sweep-failed', { sandboxId: name, message: errorMessage(error) });
      }
    },
    { signal },
  );
  return { removed, failed };
}

/** Removes one container, whoever owns it, if it is a sandbox; says whether it was there. */
export async function removeSandboxContainer(
  engine: DockerEngine,
  id: string,
  { ledger, clock }: SweepTools,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const isThere = (await listSandboxContainers(engine, signal)).some((listing) => listing.id === id);
  if (!isThere) return false;
  try {
    await removeContainer(engine.client.getContainer(id), clock, signal);
  } catch (error) {
    throw explainDockerError(error, { action: `remove the container ${id}`, phase: 'dispose', ...engine, signal });
  }
  await ledger.remove(id);
  return true;
}
