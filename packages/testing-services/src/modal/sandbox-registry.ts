import { randomBytes } from 'node:crypto';
import { type Clock, createId, openOrDiscard } from '@talaria/core';
import { openSandboxRoot } from '../sandbox-root/open-sandbox-root.ts';
import type { RootIsolation } from '../sandbox-root/sandbox-root.ts';
import { baseEnvironment } from './base-environment.ts';
import { CallError } from './call-error.ts';
import type { ImageStore } from './image-store.ts';
import { createModalSandbox, goneError, type ModalSandbox, type SandboxEnd } from './modal-sandbox.ts';
import type { SandboxRequest, WireTag } from './sandbox-request.ts';

/** All sandboxes of a double, those that ended too. Disposing ends them and removes their files. */
export interface SandboxRegistry extends AsyncDisposable {
  readonly all: readonly ModalSandbox[];
  create(
    request: SandboxRequest,
    variables: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ModalSandbox>;
  /** @throws CallError `NOT_FOUND` */
  byId(id: string): ModalSandbox;
  /** The running sandbox of a task. @throws CallError `NOT_FOUND` */
  byTask(taskId: string): ModalSandbox;
  /** The image that a sandbox was made of. */
  imageIdOf(sandbox: ModalSandbox): string;
  /** Gives a running sandbox its name. @throws CallError `ALREADY_EXISTS` where another one in the app runs under it */
  rename(sandbox: ModalSandbox, name: string): void;
}

/** Options of {@link createSandboxRegistry}. */
export interface SandboxRegistryOptions {
  readonly folder: string;
  readonly isolation: RootIsolation;
  readonly images: ImageStore;
  readonly clock: Clock;
  readonly maxReadBytes: number;
}

/** How a sandbox ends that is told to. */
export const terminatedEnd: SandboxEnd = { status: 3, exitcode: 137, exception: '' };

/** Creates an empty registry. */
export function createSandboxRegistry(options: SandboxRegistryOptions): SandboxRegistry {
  const { clock, images } = options;
  const all: ModalSandbox[] = [];
  const imageIds = new Map<ModalSandbox, string>();
  const reservedNames = new Set<string>();
  /** Also those that nobody waits for any more. */
  const openings = new Set<Promise<unknown>>();
  let lastCreatedAt = 0;

  function checkName(appId: string, name: string): void {
    const isTaken = all.some((one) => one.appId === appId && one.name === name && one.end === undefined);
    if (name !== '' && (isTaken || reservedNames.has(`${appId}/${name}`))) {
      throw new CallError('ALREADY_EXISTS', `Sandbox with name '${name}' already exists`);
    }
  }

  /** Pages of the list begin before a time, so no two sandboxes may have the same. */
  function nextCreatedAt(): number {
    lastCreatedAt = Math.max(clock.now() / 1000, lastCreatedAt + 0.001);
    return lastCreatedAt;
  }

  async function open(
    request: SandboxRequest,
    variables: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ModalSandbox> {
    const { definition, app_id: appId } = request;
    const image = images.get(definition?.image_id ?? '');
    const id = `sb-${randomBytes(13).toString('hex')}`;
    const taskId = createId('ta').replace('_', '-');
    const root = await openSandboxRoot({
      copyOf: image.folder,
      isolation: options.isolation,
      allowNetwork: definition?.network_access?.type !== 2,
    });
    if (signal.aborted) {
      await root[Symbol.asyncDispose]();
      throw signal.reason;
    }
    const sandbox = createModalSandbox({
      id,
      taskId,
      appId,
      createdAt: nextCreatedAt(),
      root,
      spoolFolder: options.folder,
      environment: {
        ...baseEnvironment(root),
        ...image.environment,
        MODAL_SANDBOX_ID: id,
        MODAL_TASK_ID: taskId,
        ...variables,
      },
      workdir: definition?.workdir || (root.isolation === 'folder' ? root.placeOf(image.workdir) : image.workdir),
      clock,
      maxReadBytes: options.maxReadBytes,
      idleTimeoutMs: (definition?.idle_timeout_secs ?? 0) * 1000,
    });
    sandbox.name = definition?.name ?? '';
    sandbox.tags = tagsOf(request.tags);
    imageIds.set(sandbox, image.id);
    all.push(sandbox);
    scheduleEnd(clock, sandbox, definition?.timeout_secs ?? 0);
    const entrypoint = definition?.entrypoint_args ?? [];
    if (entrypoint.length > 0) await startEntrypoint(sandbox, entrypoint);
    return sandbox;
  }

  function byId(id: string): ModalSandbox {
    const sandbox = all.find((one) => one.id === id);
    if (!sandbox) throw new CallError('NOT_FOUND', `Sandbox ${id} not found`);
    return sandbox;
  }

  return {
    all,
    async create(request, variables, signal) {
      const name = request.definition?.name ?? '';
      const reservation = `${request.app_id}/${name}`;
      checkName(request.app_id, name);
      reservedNames.add(reservation);
      try {
        return await openOrDiscard(async () => {
          const opening = open(request, variables, signal);
          openings.add(opening);
          const sandbox = await opening.finally(() => openings.delete(opening));
          return Object.assign(sandbox, {
            [Symbol.asyncDispose]: () => sandbox.finish(terminatedEnd, goneError(sandbox.id)),
          });
        }, signal);
      } finally {
        reservedNames.delete(reservation);
      }
    },
    byId,
    byTask(taskId) {
      const sandbox = all.find((one) => one.taskId === taskId);
      if (!sandbox) throw new CallError('NOT_FOUND', `Task ${taskId} not found`);
      sandbox.assertRunning();
      return sandbox;
    },
    imageIdOf: (sandbox) => imageIds.get(sandbox) ?? '',
    rename(sandbox, name) {
      if (sandbox.name !== '' || sandbox.end) {
        throw new CallError('FAILED_PRECONDITION', `Sandbox ${sandbox.id} has a name already or has finished`);
      }
      checkName(sandbox.appId, name);
      sandbox.name = name;
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(openings);
      await Promise.all(all.map((one) => one.finish(terminatedEnd, goneError(one.id))));
      await Promise.all(all.map((one) => one.root[Symbol.asyncDispose]()));
    },
  };
}

/** Tags by their name. */
export function tagsOf(tags: readonly WireTag[]): Readonly<Record<string, string>> {
  return Object.fromEntries(tags.map((tag) => [tag.tag_name, tag.tag_value]));
}

function scheduleEnd(clock: Clock, sandbox: ModalSandbox, lifetimeSeconds: number): void {
  if (lifetimeSeconds === 0) return;
  const cancel = clock.schedule(lifetimeSeconds * 1000, () => {
    void sandbox.finish({ status: 4, exitcode: 124, exception: 'Sandbox timed out' }, goneError(sandbox.id));
  });
  void sandbox.ended.then(cancel);
}

/** A sandbox with a command of its own lives as long as that. */
async function startEntrypoint(sandbox: ModalSandbox, words: readonly string[]): Promise<void> {
  const exec = await sandbox.start(
    {
      task_id: sandbox.taskId,
      exec_id: 'entrypoint',
      command_args: words,
      stdout_config: 0,
      stderr_config: 0,
      timeout_secs: 0,
      workdir: '',
      container_id: '',
      secret_sources: [],
    },
    {},
  );
  await exec.closeInput();
  void exec.ended.then((end) => {
    const exitcode = 'code' in end ? end.code : 128 + end.signal;
    return sandbox.finish({ status: exitcode === 0 ? 1 : 2, exitcode, exception: '' }, goneError(sandbox.id));
  });
}
