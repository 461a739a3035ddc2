import { ConfigError } from '@talaria/core';
import type { Image } from 'modal';
import type { SandboxSpec } from '../backend.ts';
import { describeOwner } from '../ledger/sandbox-owner.ts';
import { limitMarkOf } from '../local/limit-mark.ts';
import { openRemoteSandbox } from '../remote/open-remote-sandbox.ts';
import type { RemoteSandbox } from '../remote/remote-sandbox.ts';
import type { SandboxCapabilities } from '../sandbox.ts';
import { defaultLifetimeMs } from '../sandbox-defaults.ts';
import { checkVariables } from '../sandbox-environment.ts';
import type { SandboxPlan } from './create-params.ts';
import { type HeldSandbox, holdSandbox } from './hold-sandbox.ts';
import type { ModalAccount } from './modal-account.ts';
import { explainModalError, isNameTaken, isNotFound } from './modal-error.ts';
import { isImageId, missingImage } from './modal-images.ts';
import type { ModalSetup } from './modal-setup.ts';
import { createModalTransport } from './modal-transport.ts';
import { writeTags } from './sandbox-tags.ts';
import { saveSnapshot } from './save-snapshot.ts';

/** What every sandbox of this backend can do. */
export const modalCapabilities: SandboxCapabilities = {
  isolation: 'container',
  keepsShellState: true,
  stdin: true,
  pty: true,
  network: 'controllable',
  snapshot: true,
  resourceLimits: true,
  images: true,
};

const maxNameStem = 24;

/** Opens a sandbox; where that fails or is aborted, none stays behind. */
export async function openModalSandbox(
  spec: SandboxSpec,
  setup: ModalSetup,
  signal: AbortSignal | undefined,
): Promise<RemoteSandbox> {
  signal?.throwIfAborted();
  checkVariables(spec.env ?? {});
  const imageName = requireImage(spec, setup);
  if (spec.diskMiB !== undefined) setup.warnOfDisk();
  const account = await setup.connect();
  const image = await setup.images.ensure(account, imageName, signal);
  const opening = { spec, account, image, imageName, setup, signal: signal ?? new AbortController().signal };
  try {
    return await openNamed(opening);
  } catch (error) {
    if (!isNameTaken(error)) throw explainOpening(error, opening);
  }
  // Somebody else's sandbox has that very name: once more, with another one.
  try {
    return await openNamed(opening);
  } catch (error) {
    throw explainOpening(error, opening);
  }
}

interface Opening {
  readonly spec: SandboxSpec;
  readonly account: ModalAccount;
  readonly image: Image;
  readonly imageName: string;
  readonly setup: ModalSetup;
  readonly signal: AbortSignal;
}

function requireImage(spec: SandboxSpec, { options }: ModalSetup): string {
  const image = spec.image ?? options.image;
  if (image) return image;
  throw new ConfigError(`The task ${spec.taskId} names no image, and the modal backend has none for it`, {
    code: 'config.missing-image',
    hint: 'Name one for all tasks (terminal.image), or one in the task.',
  });
}

function explainOpening(error: unknown, { account, imageName, setup, signal }: Opening): unknown {
  if (isNotFound(error)) {
    // The service was found to have it no more; built anew, it is there again.
    setup.images.forget(imageName);
    if (isImageId(imageName)) return missingImage(imageName, error);
  }
  const { serverUrl } = account;
  return explainModalError(error, { action: `open a sandbox from ${imageName}`, phase: 'create', serverUrl, signal });
}

async function openNamed(opening: Opening): Promise<RemoteSandbox> {
  const { spec, account, setup, signal } = opening;
  const plan = await planSandbox(opening);
  const held = holdSandbox(account, plan, setup);
  try {
    const sandbox = await buildSandbox(opening, plan.name, held);
    if (!signal.aborted) {
      setup.logger.debug('sandbox.opened', { sandboxId: plan.name, taskId: spec.taskId, image: opening.imageName });
      return sandbox;
    }
    await sandbox[Symbol.asyncDispose]();
    throw signal.reason;
  } catch (error) {
    await held.remove();
    throw error;
  }
}

/** Writes down what is about to be made, so that a crash at any later moment leaves only what a sweep finds. */
async function planSandbox({ spec, account, setup }: Opening): Promise<SandboxPlan> {
  const { clock, ledger, options } = setup;
  const { taskId } = spec;
  const name = setup.createId(`talaria-${taskId.replace(/[^A-Za-z0-9-]+/g, '-').slice(0, maxNameStem)}`);
  const createdAt = clock.now();
  const expiresAt = createdAt + (spec.maxLifetimeMs ?? defaultLifetimeMs);
  const owner = await describeOwner(process.pid);
  const { place } = account;
  await ledger.add({ version: 1, id: name, backend: 'modal', place, taskId, owner, createdAt, expiresAt });
  const tags = writeTags({ name, taskId, runId: options.runId, owner, createdAt, expiresAt });
  return { name, spec, tags, options };
}

async function buildSandbox(opening: Opening, name: string, held: HeldSandbox): Promise<RemoteSandbox> {
  const { spec, account, image, setup, signal } = opening;
  const { clock, logger, options, source } = setup;
  const created = await held.create(image, signal);
  const transport = createModalTransport({ sandbox: created, serverUrl: account.serverUrl, clock, logger });
  const limitMark = limitMarkOf(name);
  try {
    return await openRemoteSandbox(
      {
        sandboxId: name,
        spec,
        transport,
        capabilities: modalCapabilities,
        source,
        env: options.env ?? {},
        tools: setup,
        cwd: options.cwd,
        makesStartFolder: true,
        // The first process, and others beside it, are Modal's own: only what bears the marks is ended.
        everything: { mode: 'sandbox', sandboxId: name, limitMark },
        limitMark,
        saveSnapshot: (snapshotSignal) => saveSnapshot(created, { account, options, signal: snapshotSignal }),
        async remove() {
          await held.remove();
          transport.release();
        },
      },
      signal,
    );
  } catch (error) {
    transport.release();
    throw error;
  }
}
