import { createId as createRandomId, type Logger, silentLogger, systemClock } from '@talaria/core';
import type { SandboxListing, TerminalBackend } from '../backend.ts';
import { createSandboxLedger } from '../ledger/sandbox-ledger.ts';
import { checkVariables, createSandboxEnvironment } from '../sandbox-environment.ts';
import { findModalSandboxes } from './list-modal-sandboxes.ts';
import { createModalConnector } from './modal-account.ts';
import { createModalImages } from './modal-images.ts';
import { checkModalOptions, type ModalBackendOptions } from './modal-options.ts';
import type { ModalSetup } from './modal-setup.ts';
import { modalCapabilities, openModalSandbox } from './open-modal-sandbox.ts';
import type { ModalPreflightOptions } from './preflight-options.ts';
import { runPreflight } from './run-preflight.ts';
import { removeModalSandbox, sweepModalSandboxes } from './sweep-modal-sandboxes.ts';

/** The modal backend: a terminal backend that also knows of images. */
export interface ModalBackend extends TerminalBackend {
  /**
   * Proves that sandboxes can be opened from images. @throws ConfigError `config.missing-package`, `config.wrong-package`,
   * `config.missing-credentials`, `config.modal-denied`, `config.modal-unreachable`, `config.missing-image` with all images
   * that are wrong; SandboxError `sandbox.build-failed`
   */
  preflight(options?: ModalPreflightOptions): Promise<void>;
  /** Tells of every running sandbox of the app, whoever made it. */
  list(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly SandboxListing[]>;
}

const defaultGraceMs = 2_000;
/** What Modal lets an account begin in a second; more is refused. */
const maxCreatesPerSecond = 5;

/**
 * Creates the backend whose sandboxes run at Modal. Needs the package `modal` and credentials; nothing is connected to until
 * the first use.
 * @throws ConfigError `config.invalid` for options that make no sense; `config.secret-variable`; `config.invalid-variable`
 */
export function createModalBackend(options: ModalBackendOptions): ModalBackend {
  const setup = createSetup(options);
  return {
    kind: 'modal',
    capabilities: modalCapabilities,
    maxCreatesPerSecond,
    open: (spec, { signal } = {}) => openModalSandbox(spec, setup, signal),
    sweep: ({ signal } = {}) => sweepModalSandboxes(setup, signal),
    remove: (id, { signal } = {}) => removeModalSandbox(id, setup, signal),
    preflight: (preflight = {}) => runPreflight(setup, preflight),
    async list({ signal } = {}) {
      signal?.throwIfAborted();
      const found = await findModalSandboxes(await setup.connect(), signal);
      return found.map(({ listing }) => listing);
    },
  };
}

function createSetup(options: ModalBackendOptions): ModalSetup {
  checkModalOptions(options);
  const { environment, env = {}, passthrough = [], allowSecretEnv = [], logger = silentLogger } = options;
  checkVariables(env);
  const handedOn = Object.fromEntries(passthrough.map((name) => [name, environment[name]]));
  const source = { hostEnvironment: handedOn, passthrough, allowSecretEnv };
  // A name that may not be passed on is the user's mistake, to be told of before a run starts.
  createSandboxEnvironment(source, { home: '/', temporaryFolder: '/', user: 'user' });
  return {
    options,
    connect: createModalConnector(options, logger),
    images: createModalImages(options),
    warnOfDisk: createDiskWarning(logger),
    ledger: createSandboxLedger(options.stateFolder),
    source,
    killGraceMs: options.killGraceMs ?? defaultGraceMs,
    clock: options.clock ?? systemClock,
    logger,
    createId: options.createId ?? createRandomId,
  };
}

function createDiskWarning(logger: Logger): () => void {
  let hasWarned = false;
  return () => {
    if (hasWarned) return;
    hasWarned = true;
    logger.warn('sandbox.disk-not-limited', { hint: 'The SDK of Modal has no option for the size of the disk.' });
  };
}
