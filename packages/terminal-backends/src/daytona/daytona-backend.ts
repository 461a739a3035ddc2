import type { SandboxListing, TerminalBackend } from '../backend.ts';
import { createBackendSetup } from '../backend-setup.ts';
import { createDaytonaConnector } from './daytona-connection.ts';
import { checkDaytonaOptions, type DaytonaBackendOptions } from './daytona-options.ts';
import type { DaytonaSetup } from './daytona-setup.ts';
import { daytonaCapabilities, openDaytonaSandbox } from './open-daytona-sandbox.ts';
import type { DaytonaPreflightOptions } from './preflight-options.ts';
import { runPreflight } from './run-preflight.ts';
import { listDaytonaSandboxes, removeDaytonaSandbox, sweepDaytonaSandboxes } from './sweep-daytona-sandboxes.ts';

/** The daytona backend: a terminal backend that also knows of images. */
export interface DaytonaBackend extends TerminalBackend {
  /**
   * Proves that sandboxes can be opened. @throws ConfigError `config.missing-package`, `config.missing-credentials`,
   * `config.daytona-denied`, `config.daytona-unreachable`, `config.missing-image` with all images that are wrong
   */
  preflight(options?: DaytonaPreflightOptions): Promise<void>;
  /** Tells of every sandbox of this organization that Talaria made, on whatever machine. */
  list(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly SandboxListing[]>;
}

/**
 * Creates the backend whose sandboxes Daytona runs. Nothing is connected to until the first use.
 * @throws ConfigError `config.invalid`; `config.secret-variable`; `config.invalid-variable`
 */
export function createDaytonaBackend(options: DaytonaBackendOptions): DaytonaBackend {
  const setup = createSetup(options);
  return {
    kind: 'daytona',
    capabilities: daytonaCapabilities,
    open: (spec, { signal } = {}) => openDaytonaSandbox(spec, setup, signal),
    async sweep({ signal } = {}) {
      return await sweepDaytonaSandboxes(await setup.connect(), setup, signal);
    },
    async remove(id, { signal } = {}) {
      return await removeDaytonaSandbox(await setup.connect(), id, setup, signal);
    },
    preflight: (preflight = {}) => runPreflight(setup, preflight),
    async list({ signal } = {}) {
      return await listDaytonaSandboxes(await setup.connect(), signal);
    },
  };
}

function createSetup(options: DaytonaBackendOptions): DaytonaSetup {
  checkDaytonaOptions(options);
  return { ...createBackendSetup(options), options, connect: createDaytonaConnector(options) };
}
