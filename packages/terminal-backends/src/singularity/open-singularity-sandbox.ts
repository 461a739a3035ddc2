import { join } from 'node:path';
import { ConfigError, isAbortOf, makeFolder, systemErrorCode } from '@talaria/core';
import type { SandboxSpec } from '../backend.ts';
import { describeOwner } from '../ledger/sandbox-owner.ts';
import { createFifoPool, type FifoPool } from '../local/fifo-pool.ts';
import { findProgram, requireProgram } from '../local/host-programs.ts';
import { openRemoteSandbox } from '../remote/open-remote-sandbox.ts';
import type { RemoteSandbox } from '../remote/remote-sandbox.ts';
import type { SandboxCapabilities } from '../sandbox.ts';
import { defaultLifetimeMs } from '../sandbox-defaults.ts';
import { checkVariables } from '../sandbox-environment.ts';
import { ensureImage, repairImage } from './ensure-image.ts';
import type { InstancePlan, RunningInstance } from './instance-plan.ts';
import { createRemoval, type Removal } from './instance-removal.ts';
import { explainSystemError } from './singularity-error.ts';
import type { SingularitySetup } from './singularity-setup.ts';
import { createSingularityTransport } from './singularity-transport.ts';
import { restartInstance, startInstance } from './start-instance.ts';
import { startWatchdog } from './watchdog.ts';

/** What sandboxes of this backend can do, where the machine is up to it. */
export const singularityCapabilities: SandboxCapabilities = {
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

/** Opens a sandbox; where that fails or is aborted, nothing stays behind. */
export async function openSingularitySandbox(
  spec: SandboxSpec,
  setup: SingularitySetup,
  signal: AbortSignal | undefined,
): Promise<RemoteSandbox> {
  signal?.throwIfAborted();
  checkVariables(spec.env ?? {});
  setup.findProgram();
  const wanted = requireImage(spec, setup);
  const image = await ensureImage(wanted, setup, signal);
  const name = setup.createId(`talaria-${spec.taskId.replace(/[^A-Za-z0-9-]+/g, '-').slice(0, maxNameStem)}`);
  const plan: InstancePlan = { name, spec, image, folder: setup.folderOf(name) };
  const removal = createRemoval(plan, setup);
  try {
    const sandbox = await buildSandbox({ plan, wanted, removal, setup }, signal);
    if (!signal?.aborted) {
      setup.logger.debug('sandbox.opened', { sandboxId: name, taskId: spec.taskId, image });
      return sandbox;
    }
    await sandbox[Symbol.asyncDispose]();
    throw signal.reason;
  } catch (error) {
    await removal.remove();
    throw isAbortOf(error, signal) ? error : explainSystemError(error, plan.folder);
  }
}

function requireImage(spec: SandboxSpec, { options }: SingularitySetup): string {
  const image = spec.image ?? options.image;
  if (image) return image;
  throw new ConfigError(`The task ${spec.taskId} names no image, and the singularity backend has none for it`, {
    code: 'config.missing-image',
    hint: 'Name one for all tasks (terminal.image), or one in the task.',
  });
}

/** What a sandbox is made of. */
interface SandboxBuild {
  readonly plan: InstancePlan;
  /** The image, as the task names it. */
  readonly wanted: string;
  readonly removal: Removal;
  readonly setup: SingularitySetup;
}

/** Starts an instance; where the image was spoilt since it was built, from one that is built anew. */
async function startFromImage(
  { plan, wanted, setup }: SandboxBuild,
  signal: AbortSignal | undefined,
): Promise<{ readonly plan: InstancePlan; readonly instance: RunningInstance }> {
  try {
    return { plan, instance: await startInstance(plan, setup, signal) };
  } catch (error) {
    if (systemErrorCode(error) !== 'sandbox.failed') throw error;
    const image = await repairImage(wanted, plan.image, setup, signal);
    if (image === null) throw error;
    const repaired = { ...plan, image };
    return { plan: repaired, instance: await startInstance(repaired, setup, signal) };
  }
}

async function buildSandbox(build: SandboxBuild, signal: AbortSignal | undefined): Promise<RemoteSandbox> {
  const { plan: planned, removal, setup } = build;
  const { options, environment, clock } = setup;
  const { name, spec, folder } = planned;
  const program = setup.findProgram();
  const path = environment['PATH'];
  const expiresAt = await recordSandbox(planned, setup);
  const pipes = join(folder, 'pipes');
  await makeFolder(pipes, { mode: 0o700 });
  removal.closeLater(startWatchdog({ program, environment, name, folder, expiresAt }));
  const pool: FifoPool = createFifoPool(pipes, requireProgram('mkfifo', path));
  removal.closeLater(pool);
  const { plan, instance: first } = await startFromImage(build, signal);
  let instance = first;
  let restarting: Promise<unknown> = Promise.resolve();
  removal.endBy(async () => {
    await restarting;
    return instance.first;
  });
  const transport = createSingularityTransport({
    name,
    program,
    environment,
    instance: () => instance,
    async restart() {
      if (removal.hasBegun()) return;
      const restart = restartInstance(plan, setup, instance);
      restarting = restart.catch(() => undefined);
      instance = await restart;
    },
    script: findProgram('script', path),
    keepsLibraryPath: options.nvidia ?? false,
    pool,
    clock,
  });
  return await openRemoteSandbox(
    {
      sandboxId: name,
      spec,
      transport,
      capabilities: { ...singularityCapabilities, pty: transport.hasPty, resourceLimits: instance.hasLimits },
      source: setup.source,
      env: options.env ?? {},
      tools: setup,
      cwd: options.cwd,
      everything: { mode: 'all' },
      remove: removal.remove,
    },
    signal ?? new AbortController().signal,
  );
}

/** Writes down what is about to be made, so that a crash at any later moment leaves only what a sweep finds. */
async function recordSandbox({ name, spec, folder }: InstancePlan, setup: SingularitySetup): Promise<number> {
  const createdAt = setup.clock.now();
  const expiresAt = createdAt + (spec.maxLifetimeMs ?? defaultLifetimeMs);
  const owner = await describeOwner(process.pid);
  const { taskId } = spec;
  await setup.ledger.add({
    version: 1,
    id: name,
    backend: 'singularity',
    place: folder,
    taskId,
    owner,
    createdAt,
    expiresAt,
  });
  return expiresAt;
}
