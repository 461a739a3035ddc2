import type { Sandbox as DaytonaSandbox } from '@daytona/sdk';
import { raceAbort } from '@talaria/core';
import type { SandboxSpec } from '../backend.ts';
import { describeOwner } from '../ledger/sandbox-owner.ts';
import { limitMarkOf } from '../local/limit-mark.ts';
import { openRemoteSandbox } from '../remote/open-remote-sandbox.ts';
import type { RemoteSandbox } from '../remote/remote-sandbox.ts';
import type { SandboxCapabilities } from '../sandbox.ts';
import { defaultLifetimeMs } from '../sandbox-defaults.ts';
import { checkVariables } from '../sandbox-environment.ts';
import { requireImage, type SandboxPlan } from './create-params.ts';
import { createSandbox } from './create-sandbox.ts';
import type { DaytonaConnection } from './daytona-connection.ts';
import { explainDaytonaError } from './daytona-error.ts';
import type { DaytonaSetup } from './daytona-setup.ts';
import { createDaytonaTransport } from './daytona-transport.ts';
import { openJobPlace } from './job-place.ts';
import { createRemoval, type Removal } from './remove-sandbox.ts';
import { createSandboxRequests } from './sandbox-requests.ts';

/** What every sandbox of this backend can do. */
export const daytonaCapabilities: SandboxCapabilities = {
  isolation: 'container',
  keepsShellState: true,
  stdin: true,
  pty: true,
  network: 'controllable',
  snapshot: false,
  resourceLimits: true,
  images: true,
};

const maxNameStem = 24;

/** Opens a sandbox; where that fails or is aborted, none stays behind. */
export async function openDaytonaSandbox(
  spec: SandboxSpec,
  setup: DaytonaSetup,
  signal: AbortSignal | undefined,
): Promise<RemoteSandbox> {
  signal?.throwIfAborted();
  checkVariables(spec.env ?? {});
  const { options, logger, createId } = setup;
  const image = requireImage(spec, options);
  const connection = await setup.connect();
  const name = createId(`talaria-${spec.taskId.replace(/[^A-Za-z0-9-]+/g, '-').slice(0, maxNameStem)}`);
  const removal = createRemoval(name, connection, setup);
  try {
    const record = await recordSandbox(spec, name, connection, setup);
    signal?.throwIfAborted();
    const creation = createSandbox({ name, image, spec, options, ...record }, connection, { setup, signal });
    removal.expect(creation);
    const made = await raceAbort(creation, signal);
    const sandbox = await buildSandbox({ spec, name, made, connection, removal, setup }, signal);
    if (signal?.aborted) {
      await sandbox[Symbol.asyncDispose]();
      throw signal.reason;
    }
    logger.debug('sandbox.opened', { sandboxId: name, taskId: spec.taskId, image });
    return sandbox;
  } catch (error) {
    await removal.remove();
    throw explainDaytonaError(error, {
      action: `open a sandbox from ${image}`,
      phase: 'create',
      apiUrl: connection.apiUrl,
      signal,
    });
  }
}

/** Writes down what is about to be made, so that a crash at any later moment leaves only what a sweep finds. */
async function recordSandbox(
  spec: SandboxSpec,
  name: string,
  { apiUrl }: DaytonaConnection,
  { clock, ledger }: DaytonaSetup,
): Promise<Pick<SandboxPlan, 'owner' | 'expiresAt'>> {
  const createdAt = clock.now();
  const expiresAt = createdAt + (spec.maxLifetimeMs ?? defaultLifetimeMs);
  const owner = await describeOwner(process.pid);
  const { taskId } = spec;
  await ledger.add({ version: 1, id: name, backend: 'daytona', place: apiUrl, taskId, owner, createdAt, expiresAt });
  return { owner, expiresAt };
}

interface SandboxBuild {
  readonly spec: SandboxSpec;
  readonly name: string;
  readonly made: DaytonaSandbox;
  readonly connection: DaytonaConnection;
  readonly removal: Removal;
  readonly setup: DaytonaSetup;
}

async function buildSandbox(build: SandboxBuild, signal: AbortSignal | undefined): Promise<RemoteSandbox> {
  const { spec, name, made, connection, removal, setup } = build;
  const { options, clock, logger, source } = setup;
  const { apiUrl } = connection;
  const limitMark = limitMarkOf(name);
  const opening = signal ?? new AbortController().signal;
  const requests = createSandboxRequests({ sandbox: made, apiUrl, clock });
  removal.follow(requests);
  const place = await openJobPlace({ sandboxId: name, requests, clock, logger }, opening);
  return await openRemoteSandbox(
    {
      sandboxId: name,
      spec,
      transport: createDaytonaTransport({ sandbox: made, place, apiUrl }),
      capabilities: daytonaCapabilities,
      source,
      env: options.env ?? {},
      tools: setup,
      cwd: options.cwd,
      // Not all: the daemon itself runs in the sandbox.
      everything: { mode: 'sandbox', sandboxId: name, limitMark },
      limitMark,
      remove: () => removal.remove(),
    },
    opening,
  );
}
