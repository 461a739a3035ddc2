import type { Logger } from '@talaria/core';
import type { SandboxListing, TerminalBackend } from '../backend.ts';
import { createBackendSetup } from '../backend-setup.ts';
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
  const common = createBackendSetup(options);
  return {
    ...common,
    options,
    connect: createModalConnector(options, common.logger),
    images: createModalImages(options),
    warnOfDisk: createDiskWarning(common.logger),
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
