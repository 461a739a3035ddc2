import type { AppStore } from './app-store.ts';
import { CallError } from './call-error.ts';
import { type CallContext, type ModalMethods, unary } from './modal-method.ts';
import { goneError, type ModalSandbox } from './modal-sandbox.ts';
import { type SandboxRegistry, tagsOf, terminatedEnd } from './sandbox-registry.ts';
import type { SandboxRequest, WireTag } from './sandbox-request.ts';
import type { SecretStore } from './secret-store.ts';

/** What the methods about sandboxes work on. */
export interface SandboxPlane {
  readonly sandboxes: SandboxRegistry;
  readonly secrets: SecretStore;
  readonly apps: AppStore;
  /** Where a sandbox takes commands, and with what token. */
  readonly routerAccess: () => object;
  /** Throws where sandboxes are asked for too fast. */
  readonly checkCreateRate: () => void;
}

/** The methods of `ModalClient` about sandboxes. */
export function createSandboxMethods(plane: SandboxPlane): ModalMethods {
  const { sandboxes } = plane;
  /** A call that the client repeats, since its answer was lost, makes no second sandbox. */
  const created = new Map<string, Promise<ModalSandbox>>();

  function create(request: SandboxRequest, context: CallContext): Promise<ModalSandbox> {
    const key = String(context.metadata.get('x-idempotency-key')[0] ?? '');
    const known = created.get(key);
    if (known) return known;
    plane.checkCreateRate();
    const variables = plane.secrets.variables(request.secret_sources);
    const made = sandboxes.create(request, variables, new AbortController().signal);
    if (key !== '') created.set(key, made);
    made.catch(() => created.delete(key));
    return made;
  }

  return {
    SandboxCreateV2: unary(async (request: SandboxRequest, context) => {
      const sandbox = await create(request, context);
      return { sandbox_id: sandbox.id, task_id: sandbox.taskId, command_router_access: plane.routerAccess() };
    }),
    SandboxGetCommandRouterAccess: unary(({ sandbox_id }: ById) => {
      const sandbox = sandboxes.byId(sandbox_id);
      sandbox.assertRunning();
      return plane.routerAccess();
    }),
    SandboxGetTaskIdV2: unary(({ sandbox_id }: ById) => {
      const sandbox = sandboxes.byId(sandbox_id);
      return sandbox.end ? { task_result: sandbox.end } : { task_id: sandbox.taskId };
    }),
    // The SDK asks for the older kind of sandbox where there is none of the newer, and that answer is what users see.
    SandboxGetFromName: unary(({ sandbox_name }: ByName) => {
      throw new CallError('NOT_FOUND', `Sandbox with name '${sandbox_name}' not found`);
    }),
    SandboxGetFromNameV2: unary((request: ByName) => ({ sandbox_id: findByName(plane, request).id })),
    SandboxSetName: unary(({ sandbox_id, name }: { readonly sandbox_id: string; readonly name: string }) => {
      sandboxes.rename(sandboxes.byId(sandbox_id), name);
      return {};
    }),
    SandboxListV2: unary((request: ListRequest) => ({ sandboxes: list(plane, request) })),
    SandboxWaitV2: unary(async ({ sandbox_id, timeout }: ById, { signal }) => {
      const sandbox = sandboxes.byId(sandbox_id);
      if (timeout > 0) await endWithin(sandbox, timeout * 1000, signal);
      return { ...(sandbox.end ? { result: sandbox.end } : {}), metadata: { app_id: sandbox.appId } };
    }),
    SandboxTerminateV2: unary(async ({ sandbox_id }: ById) => {
      await sandboxes.byId(sandbox_id).finish(terminatedEnd, goneError(sandbox_id));
      return {};
    }),
    SandboxTagsSetV2: unary(({ sandbox_id, tags }: ById & { readonly tags: readonly WireTag[] }) => {
      sandboxes.byId(sandbox_id).tags = tagsOf(tags);
      return {};
    }),
    SandboxTagsGetV2: unary(({ sandbox_id }: ById) => ({ tags: wireTags(sandboxes.byId(sandbox_id)) })),
  };
}

interface ById {
  readonly sandbox_id: string;
  readonly timeout: number;
}

interface ByName {
  readonly sandbox_name: string;
  readonly app_name: string;
  readonly environment_name: string;
  readonly include_terminated: boolean;
}

interface ListRequest {
  readonly app_id: string;
  readonly before_timestamp: number;
  readonly include_finished: boolean;
  readonly tags: readonly WireTag[];
}

/** Sandboxes on one page of the list. Small, so that clients turn pages in tests too. */
const pageSize = 10;

function findByName(plane: SandboxPlane, request: ByName): ModalSandbox {
  const appId = plane.apps.find(request);
  const named = plane.sandboxes.all.filter((one) => one.appId === appId && one.name === request.sandbox_name);
  const found = named.find((one) => one.end === undefined) ?? (request.include_terminated ? named.at(-1) : undefined);
  if (!found) throw new CallError('NOT_FOUND', `Sandbox with name '${request.sandbox_name}' not found`);
  return found;
}

/** A page, the newest first. */
function list(plane: SandboxPlane, request: ListRequest): readonly object[] {
  const wanted = Object.entries(tagsOf(request.tags));
  const before = request.before_timestamp || Number.POSITIVE_INFINITY;
  return plane.sandboxes.all
    .filter((one) => request.app_id === '' || one.appId === request.app_id)
    .filter((one) => one.createdAt < before && (request.include_finished || one.end === undefined))
    .filter((one) => wanted.every(([name, value]) => one.tags[name] === value))
    .sort((left, right) => right.createdAt - left.createdAt)
    .slice(0, pageSize)
    .map((one) => ({ id: one.id, created_at: one.createdAt, app_id: one.appId, tags: wireTags(one), name: one.name }));
}

function wireTags(sandbox: ModalSandbox): readonly WireTag[] {
  return Object.entries(sandbox.tags).map(([name, value]) => ({ tag_name: name, tag_value: value }));
}

async function endWithin(sandbox: ModalSandbox, durationMs: number, signal: AbortSignal): Promise<void> {
  let cancel = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, durationMs);
    cancel = () => clearTimeout(timer);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([sandbox.ended, over]);
  cancel();
}
