import { ConfigError, settleWithin } from '@talaria/core';
import type { SandboxSpec } from '../backend.ts';
import { describeOwner } from '../ledger/sandbox-owner.ts';
import { limitMarkOf } from '../local/limit-mark.ts';
import { openRemoteSandbox } from '../remote/open-remote-sandbox.ts';
import type { RemoteSandbox } from '../remote/remote-sandbox.ts';
import type { SandboxCapabilities } from '../sandbox.ts';
import { defaultLifetimeMs } from '../sandbox-defaults.ts';
import { checkVariables } from '../sandbox-environment.ts';
import type { ContainerPlan } from './container-body.ts';
import type { DockerEngine } from './docker-engine.ts';
import { explainDockerError } from './docker-error.ts';
import type { DockerSetup } from './docker-setup.ts';
import { createDockerTransport } from './docker-transport.ts';
import { findPlaces } from './find-places.ts';
import { discardContainer } from './remove-container.ts';
import { runContainer } from './run-container.ts';
import { saveSnapshot } from './save-snapshot.ts';

/** What every sandbox of this backend can do. */
export const dockerCapabilities: SandboxCapabilities = {
  isolation: 'container',
  keepsShellState: true,
  stdin: true,
  pty: true,
  network: 'controllable',
  snapshot: true,
  resourceLimits: true,
  images: true,
};

/** The shared memory of the machine or of another container. */
const sharedMemoryMode = /^(?:host|container:.*)$/;
const maxNameStem = 24;
const maxLedgerMs = 10_000;

/** Opens a sandbox; where that fails or is aborted, no container stays behind. */
export async function openDockerSandbox(
  spec: SandboxSpec,
  setup: DockerSetup,
  signal: AbortSignal | undefined,
): Promise<RemoteSandbox> {
  signal?.throwIfAborted();
  checkVariables(spec.env ?? {});
  const { options, images, clock, logger, ledger } = setup;
  const image = requireImage(spec, setup);
  const engine = await setup.connect(signal);
  const facts = await images.ensure(engine, image, { pull: options.pull ?? 'missing', signal });
  const name = setup.createId(`talaria-${spec.taskId.replace(/[^A-Za-z0-9-]+/g, '-').slice(0, maxNameStem)}`);
  const container = engine.client.getContainer(name);
  async function remove(): Promise<void> {
    const isGone = await discardContainer(container, setup);
    if (isGone) await settleWithin(async () => void (await ledger.remove(name)), maxLedgerMs, logger);
  }
  try {
    const record = await recordSandbox(spec, name, engine, setup);
    // An engine may leave an empty one out.
    const user = (options.user ?? facts.Config.User) || '';
    const plan = { name, image, user, spec, options, lacks: setup.lacks, ...record };
    await runContainer(plan, engine, { setup, signal });
    // A container in the process space of the machine, or of another container, sees what is not its own.
    const sharesProcesses = Boolean(options.hostConfig?.['PidMode']);
    const sharesMemory = sharedMemoryMode.test(String(options.hostConfig?.['IpcMode']));
    const transport = createDockerTransport({ container, host: engine.host, clock, sharesProcesses, sharesMemory });
    const limitMark = sharesProcesses ? limitMarkOf(name) : null;
    const places = await findPlaces(transport, user, { clock, signal });
    const sandbox = await openRemoteSandbox(
      {
        sandboxId: name,
        spec,
        transport,
        places,
        capabilities: dockerCapabilities,
        source: setup.source,
        env: options.env ?? {},
        tools: setup,
        cwd: options.cwd === 'image' ? facts.Config.WorkingDir || undefined : options.cwd,
        everything: sharesProcesses ? { mode: 'sandbox', sandboxId: name, limitMark } : { mode: 'all' },
        limitMark,
        saveSnapshot: (snapshotSignal) => saveSnapshot(container, { facts, engine, setup, signal: snapshotSignal }),
        remove,
      },
      signal ?? new AbortController().signal,
    );
    if (signal?.aborted) {
      await sandbox[Symbol.asyncDispose]();
      throw signal.reason;
    }
    logger.debug('sandbox.opened', { sandboxId: name, taskId: spec.taskId, image });
    return sandbox;
  } catch (error) {
    await remove();
    throw explainDockerError(error, {
      action: `open a sandbox from ${image}`,
      phase: 'create',
      host: engine.host,
      signal,
    });
  }
}

function requireImage(spec: SandboxSpec, { options }: DockerSetup): string {
  const image = spec.image ?? options.image;
  if (image) return image;
  throw new ConfigError(`The task ${spec.taskId} names no image, and the docker backend has none for it`, {
    code: 'config.missing-image',
    hint: 'Name one for all tasks (terminal.image), or one in the task.',
  });
}

/** Writes down what is about to be made, so that a crash at any later moment leaves only what a sweep finds. */
async function recordSandbox(
  spec: SandboxSpec,
  name: string,
  engine: DockerEngine,
  { clock, ledger }: DockerSetup,
): Promise<Pick<ContainerPlan, 'owner' | 'expiresAt'>> {
  const createdAt = clock.now();
  const expiresAt = createdAt + (spec.maxLifetimeMs ?? defaultLifetimeMs);
  const owner = await describeOwner(process.pid);
  const place = engine.host;
  await ledger.add({
    version: 1,
    id: name,
    backend: 'docker',
    place,
    taskId: spec.taskId,
    owner,
    createdAt,
    expiresAt,
  });
  return { owner, expiresAt };
}
