import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, createDisposalStack, systemClock } from '@talaria/core';
import { openSandboxRoot } from '../sandbox-root/open-sandbox-root.ts';
import type { RootIsolation } from '../sandbox-root/sandbox-root.ts';
import { createAppStore } from './app-store.ts';
import { CallError } from './call-error.ts';
import { createCallGate } from './call-gate.ts';
import { createCallLog, type ModalCall } from './call-log.ts';
import { createCommandRouterMethods } from './command-router.ts';
import { createControlPlaneMethods } from './control-plane.ts';
import { createRateCheck } from './create-rate.ts';
import { startGrpcServer } from './grpc-server.ts';
import { createImageStore } from './image-store.ts';
import { createFaultPlan, type ModalFault } from './modal-fault.ts';
import type { CallContext } from './modal-method.ts';
import { loadProtocol } from './modal-protocol.ts';
import type { ModalSandbox } from './modal-sandbox.ts';
import { createTokenIssuer } from './router-token.ts';
import { createSandboxRegistry } from './sandbox-registry.ts';
import { createSecretStore } from './secret-store.ts';

/** Options of {@link createModalDouble}. */
export interface ModalDoubleOptions {
  /** Faults that are planned from the start. @default none */
  readonly faults?: readonly ModalFault[] | undefined;
  /** How sandboxes are separated. @default namespaces where the machine lets us, else plain folders */
  readonly isolation?: RootIsolation | undefined;
  /** The only credentials that are let in. @default `ak-double` and `as-double` */
  readonly token?: { readonly id: string; readonly secret: string } | undefined;
  /** How long the token of a sandbox's router is good. The SDK asks for a new one in the last 30 seconds. @default an hour */
  readonly routerTokenLifetimeMs?: number | undefined;
  /** Sandboxes that may be created in a second, as the service limits them to about 5. @default any number */
  readonly createsPerSecond?: number | undefined;
  /** Largest file that the file tools read. @default any size */
  readonly maxReadBytes?: number | undefined;
  /** Secrets with names. @default none */
  readonly secrets?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /** Measures lifetimes, idle times, time limits of commands, and delays. @default the real clock */
  readonly clock?: Clock | undefined;
}

/** What tests may know of a sandbox. */
export interface ModalSandboxView {
  readonly id: string;
  readonly taskId: string;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly isRunning: boolean;
  /** Host folder with its files. */
  readonly folder: string;
}

/** A stand-in for Modal on loopback. Disposing ends every process and removes every folder. */
export interface ModalDouble extends AsyncDisposable {
  /** For `MODAL_SERVER_URL`. */
  readonly serverUrl: string;
  /** The variables that the SDK needs, for its process. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * `namespace`: each sandbox has its own file system and processes. `folder`: absolute paths are the host's, and only
   * HOME and TMPDIR are the sandbox's own.
   */
  readonly isolation: RootIsolation;
  /** Host folder of snapshots and of output that does not fit into memory. */
  readonly folder: string;
  /** All calls so far, in the order of their arrival. */
  readonly calls: readonly ModalCall[];
  /** All sandboxes so far, in the order of their creation. */
  readonly sandboxes: readonly ModalSandboxView[];
  /** Resolves when so many calls of a method have arrived since the start. */
  whenCalls(method: string, count: number): Promise<void>;
  /** Plans faults behind those that are planned. */
  inject(...faults: readonly ModalFault[]): void;
  /** Forgets what is planned. */
  clearFaults(): void;
  /**
   * Takes a sandbox away as a machine that fails: its processes die, pending calls break with `UNAVAILABLE`, and later
   * ones are answered with `NOT_FOUND`.
   */
  lose(sandboxId: string): Promise<void>;
}

/** Starts a Modal on loopback that runs its sandboxes as local processes. */
export async function createModalDouble(options: ModalDoubleOptions = {}): Promise<ModalDouble> {
  const { clock = systemClock, token = { id: 'ak-double', secret: 'as-double' } } = options;
  const stack = createDisposalStack();
  try {
    const isolation = options.isolation ?? (await findIsolation());
    const folder = await mkdtemp(join(tmpdir(), 'talaria-modal-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const faults = createFaultPlan(options.faults ?? []);
    const log = createCallLog();
    const issuer = createTokenIssuer();
    const images = stack.use(createImageStore({ folder, isolation, faults, clock }));
    const { maxReadBytes = Number.POSITIVE_INFINITY } = options;
    const sandboxes = stack.use(createSandboxRegistry({ folder, isolation, images, clock, maxReadBytes }));
    const secrets = createSecretStore(options.secrets ?? {});
    const checkAccess = createAccessCheck(
      token,
      (jwt) => issuer.isValid(jwt, 'router'),
      (jwt) => issuer.isValid(jwt, 'client'),
    );
    const address = { port: 0 };
    const server = await startGrpcServer(
      loadProtocol(),
      {
        'modal.client.ModalClient': createControlPlaneMethods({
          images,
          sandboxes,
          secrets,
          apps: createAppStore(),
          issueAuthToken: () => issuer.issue('client', 3_600_000),
          // The SDK insists on `https` and then dials a local server without encryption.
          routerAccess: () => ({
            jwt: issuer.issue('router', options.routerTokenLifetimeMs ?? 3_600_000),
            url: `https://127.0.0.1:${address.port}`,
          }),
          checkCreateRate: createRateCheck(clock, options.createsPerSecond),
        }),
        'modal.task_command_router.TaskCommandRouter': createCommandRouterMethods({ sandboxes, images, secrets }),
      },
      createCallGate({ log, faults, clock, checkAccess }),
    );
    stack.use(server);
    address.port = server.port;
    const serverUrl = `http://127.0.0.1:${server.port}`;
    return {
      serverUrl,
      environment: { MODAL_SERVER_URL: serverUrl, MODAL_TOKEN_ID: token.id, MODAL_TOKEN_SECRET: token.secret },
      isolation,
      folder,
      calls: log.calls,
      get sandboxes() {
        return sandboxes.all.map(viewOf);
      },
      whenCalls: log.whenCalls,
      inject: (...more) => faults.add(more),
      clearFaults: () => faults.clear(),
      lose: (id) => lose(sandboxes.byId(id)),
      [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
    };
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}

async function findIsolation(): Promise<RootIsolation> {
  await using trial = await openSandboxRoot();
  return trial.isolation;
}

function createAccessCheck(
  token: { readonly id: string; readonly secret: string },
  isRouterToken: (jwt: string) => boolean,
  isClientToken: (jwt: string) => boolean,
): (method: string, context: CallContext) => void {
  return (method, { metadata }) => {
    const header = (name: string): string => String(metadata.get(name)[0] ?? '');
    if (method.startsWith('Task')) {
      if (isRouterToken(header('authorization').replace('Bearer ', ''))) return;
      throw new CallError('UNAUTHENTICATED', 'The token of the router is wrong or over');
    }
    const isKnown = header('x-modal-token-id') === token.id && header('x-modal-token-secret') === token.secret;
    if (!isKnown) throw new CallError('UNAUTHENTICATED', 'Token validation failed: the token is unknown');
    if (method === 'AuthTokenGet' || isClientToken(header('x-modal-auth-token'))) return;
    throw new CallError('UNAUTHENTICATED', 'The call carries no token of AuthTokenGet');
  };
}

function viewOf(sandbox: ModalSandbox): ModalSandboxView {
  const { id, taskId, name, tags, end, root } = sandbox;
  return { id, taskId, name, tags, isRunning: end === undefined, folder: root.folder };
}

function lose(sandbox: ModalSandbox): Promise<void> {
  const reason = new CallError('UNAVAILABLE', 'The connection to the worker was lost');
  return sandbox.finish({ status: 5, exitcode: 1, exception: 'The worker was lost' }, reason);
}
