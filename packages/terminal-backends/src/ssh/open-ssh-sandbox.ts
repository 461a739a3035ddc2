import { type Clock, ConfigError, type CreateId, type Logger, settleWithin } from '@talaria/core';
import type { SandboxSpec } from '../backend.ts';
import type { LedgerEntry, SandboxLedger } from '../ledger/sandbox-ledger.ts';
import { describeOwner } from '../ledger/sandbox-owner.ts';
import { limitMarkOf } from '../local/limit-mark.ts';
import { openRemoteSandbox } from '../remote/open-remote-sandbox.ts';
import type { RemoteSandbox } from '../remote/remote-sandbox.ts';
import type { SandboxCapabilities } from '../sandbox.ts';
import { defaultLifetimeMs } from '../sandbox-defaults.ts';
import { checkVariables, defaultPath, type EnvironmentSource } from '../sandbox-environment.ts';
import type { SshConnections } from './ssh-connections.ts';
import { checkSandboxId, makePlace, type PlaceTools, removePlace, type SshPlace } from './ssh-place.ts';
import { createSshTransport } from './ssh-transport.ts';

/** What all sandboxes of one ssh backend share. */
export interface SshSetup {
  /** `user@host:port`: for messages, and so that each server's sandboxes are told apart in the ledger. */
  readonly server: string;
  readonly connections: () => Promise<SshConnections>;
  readonly capabilities: SandboxCapabilities;
  readonly source: EnvironmentSource;
  readonly env: Readonly<Record<string, string>>;
  readonly ledger: SandboxLedger;
  readonly killGraceMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly createId: CreateId;
}

/** All of a removal: what it waits for is bounded itself, but for a server that takes its time with each. */
const maxRemovalMs = 30_000;

/** Opens a sandbox; where that fails or is aborted, nothing stays behind. */
export async function openSshSandbox(
  spec: SandboxSpec,
  setup: SshSetup,
  signal: AbortSignal | undefined,
): Promise<RemoteSandbox> {
  signal?.throwIfAborted();
  checkSpec(spec);
  const connections = await setup.connections();
  const id = setup.createId('sandbox');
  checkSandboxId(id);
  const removal = createRemoval(id, connections, setup);
  try {
    const entry = await recordSandbox(spec, id, setup);
    const sandbox = await buildSandbox(
      { spec, entry, connections, removal, setup },
      signal ?? new AbortController().signal,
    );
    if (!signal?.aborted) {
      setup.logger.debug('sandbox.opened', { sandboxId: id, taskId: spec.taskId, server: setup.server });
      return sandbox;
    }
    await sandbox[Symbol.asyncDispose]();
    throw signal.reason;
  } catch (error) {
    await removal.remove();
    throw error;
  }
}

function checkSpec(spec: SandboxSpec): void {
  checkVariables(spec.env ?? {});
  if (spec.allowNetwork !== false) return;
  throw new ConfigError(
    `The task ${spec.taskId} forbids the network, and the ssh backend cannot keep programs off it`,
    {
      code: 'config.unsupported',
      hint: 'Use a container backend, or allow the network for this task.',
    },
  );
}

/** Writes down what is about to be made, so that a crash at any later moment leaves only what a sweep finds. */
async function recordSandbox(spec: SandboxSpec, id: string, setup: SshSetup): Promise<LedgerEntry> {
  const createdAt = setup.clock.now();
  const expiresAt = createdAt + (spec.maxLifetimeMs ?? defaultLifetimeMs);
  const owner = await describeOwner(process.pid);
  const { taskId } = spec;
  const entry: LedgerEntry = {
    version: 1,
    id,
    backend: 'ssh',
    place: setup.server,
    taskId,
    owner,
    createdAt,
    expiresAt,
  };
  await setup.ledger.add(entry);
  return entry;
}

/** What takes a sandbox away. */
interface Removal {
  /** There may be something on the server. */
  expect(): void;
  /** Removes it, lets go of the connections, and forgets it; once. Bounded in time; never throws. */
  remove(): Promise<void>;
}

/** It holds the connections from now on. */
function createRemoval(id: string, connections: SshConnections, setup: SshSetup): Removal {
  const { logger, ledger } = setup;
  const hold = connections.hold();
  let isExpected = false;
  let removal: Promise<void> | null = null;

  async function removeAll(): Promise<void> {
    const placeRemoval = async () => (isExpected ? await removePlace(id, placeTools(connections, setup)) : undefined);
    const outcome = await settleWithin(placeRemoval, maxRemovalMs, logger);
    await hold[Symbol.asyncDispose]();
    // Where something may be left, the entry stays, so that a later sweep looks after it.
    if (outcome === 'done') await settleWithin(async () => void (await ledger.remove(id)), maxRemovalMs, logger);
  }

  return {
    expect() {
      isExpected = true;
    },
    remove() {
      removal ??= removeAll();
      return removal;
    },
  };
}

/** What it takes to make and remove places: processes as a login starts them. */
export function placeTools(connections: SshConnections, { clock, logger, killGraceMs }: SshSetup): PlaceTools {
  const login = createSshTransport({ connections, variables: null, folder: null, clock, logger });
  return { login, clock, killGraceMs };
}

interface SandboxBuild {
  readonly spec: SandboxSpec;
  readonly entry: LedgerEntry;
  readonly connections: SshConnections;
  readonly removal: Removal;
  readonly setup: SshSetup;
}

async function buildSandbox(build: SandboxBuild, signal: AbortSignal): Promise<RemoteSandbox> {
  const { spec, entry, connections, removal, setup } = build;
  const { id } = entry;
  const { clock, logger, killGraceMs, capabilities, source, env } = setup;
  const tools = placeTools(connections, setup);
  const place = await makePlace(entry, { signal, onStart: () => removal.expect() }, tools);
  const { folder } = place;
  const limitMark = limitMarkOf(id);
  const places = { home: `${folder}/home`, temporaryFolder: `${folder}/tmp` };
  const transport = createSshTransport({
    connections,
    variables: loginVariables(place, places.home),
    folder,
    clock,
    logger,
  });
  return await openRemoteSandbox(
    {
      sandboxId: id,
      spec,
      transport,
      capabilities,
      source,
      env,
      tools: { clock, logger, killGraceMs },
      places,
      everything: { mode: 'sandbox', sandboxId: id, limitMark },
      limitMark,
      remove: () => removal.remove(),
    },
    signal,
  );
}

/**
 * Variables of what starts in a sandbox, before its own are set. Those of a real login (`SSH_CONNECTION`, what a profile
 * exports) stay out of it. The engine keeps its state below `TMPDIR`, so that it goes with the folder.
 */
function loginVariables({ folder, user, path, language }: SshPlace, home: string): Record<string, string> {
  return {
    HOME: home,
    TMPDIR: folder,
    USER: user,
    LOGNAME: user,
    PATH: path || defaultPath,
    ...(language === '' ? {} : { LANG: language }),
  };
}
