import type { SandboxListing, TerminalBackend } from '../backend.ts';
import { createSingularitySetup } from './create-setup.ts';
import { openSingularitySandbox, singularityCapabilities } from './open-singularity-sandbox.ts';
import { runPreflight } from './run-preflight.ts';
import type { SingularityBackendOptions, SingularityPreflightOptions } from './singularity-options.ts';
import { listSingularitySandboxes, removeSingularitySandbox, sweepInstances } from './sweep-instances.ts';

/** The singularity backend: a terminal backend that also knows of images. */
export interface SingularityBackend extends TerminalBackend {
  /**
   * Finds the program and makes images ready. @throws ConfigError `config.missing-program`, `config.missing-image`;
   * SandboxError `sandbox.build-failed`, `sandbox.timeout`
   */
  preflight(options?: SingularityPreflightOptions): Promise<void>;
  /** Tells of every sandbox of the ledger, whoever opened it. */
  list(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly SandboxListing[]>;
}

/**
 * Creates the backend whose sandboxes are instances of Apptainer or Singularity, without a daemon. Nothing is looked for
 * until the first use.
 * @throws ConfigError `config.invalid`; `config.secret-variable`; `config.invalid-variable`
 */
export function createSingularityBackend(options: SingularityBackendOptions): SingularityBackend {
  const setup = createSingularitySetup(options);
  return {
    kind: 'singularity',
    capabilities: singularityCapabilities,
    open: (spec, { signal } = {}) => openSingularitySandbox(spec, setup, signal),
    sweep: ({ signal } = {}) => sweepInstances(setup, signal),
    list: ({ signal } = {}) => listSingularitySandboxes(setup, signal),
    remove: (id, { signal } = {}) => removeSingularitySandbox(id, setup, signal),
    preflight: (preflight = {}) => runPreflight(setup, preflight),
  };
}
