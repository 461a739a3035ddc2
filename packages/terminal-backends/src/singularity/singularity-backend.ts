import { join } from 'node:path';
import { createId as createRandomId, silentLogger, systemClock } from '@talaria/core';
import type { SandboxListing, TerminalBackend } from '../backend.ts';
import { createSharedWork } from '../docker/shared-work.ts';
import { createSandboxLedger } from '../ledger/sandbox-ledger.ts';
import { checkVariables, createSandboxEnvironment } from '../sandbox-environment.ts';
import { openSingularitySandbox, singularityCapabilities } from './open-singularity-sandbox.ts';
import { runPreflight } from './run-preflight.ts';
import { runSingularity } from './run-program.ts';
import {
  checkSingularityOptions,
  type SingularityBackendOptions,
  type SingularityPreflightOptions,
} from './singularity-options.ts';
import { findSingularity, launchEnvironment } from './singularity-program.ts';
import type { SingularitySetup } from './singularity-setup.ts';
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

const defaultGraceMs = 2_000;

/**
 * Creates the backend whose sandboxes are instances of Apptainer or Singularity, without a daemon. Nothing is looked for
 * until the first use.
 * @throws ConfigError `config.invalid`; `config.secret-variable`; `config.invalid-variable`
 */
export function createSingularityBackend(options: SingularityBackendOptions): SingularityBackend {
  const setup = createSetup(options);
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

function createSetup(options: SingularityBackendOptions): SingularitySetup {
  checkSingularityOptions(options);
  const { environment: host, stateFolder, scratchFolder, env = {}, passthrough = [], allowSecretEnv = [] } = options;
  checkVariables(env);
  const handedOn = Object.fromEntries(passthrough.map((name) => [name, host[name]]));
  const source = { hostEnvironment: handedOn, passthrough, allowSecretEnv };
  // A name that may not be passed on is the user's mistake, to be told of before a run starts.
  createSandboxEnvironment(source, { home: '/', temporaryFolder: '/', user: 'user' });
  const environment = launchEnvironment(host);
  const ledger = createSandboxLedger(stateFolder);
  const clock = options.clock ?? systemClock;
  const findProgram = () => findSingularity(options.program, host['PATH']);
  return {
    options,
    findProgram,
    environment,
    call: (args, { timeoutMs, forBuild = false, signal }) =>
      runSingularity({
        words: [findProgram(), ...args],
        environment: forBuild ? buildEnvironment(options) : environment,
        timeoutMs,
        clock,
        signal,
      }),
    builds: createSharedWork(),
    findings: { way: null, lacksLimits: false },
    ledger,
    folderOf: (id) => (scratchFolder === undefined ? ledger.folderOf(id) : join(scratchFolder, id)),
    cacheFolder: options.cacheFolder ?? join(stateFolder, 'images'),
    source,
    killGraceMs: options.killGraceMs ?? defaultGraceMs,
    clock,
    logger: options.logger ?? silentLogger,
    createId: options.createId ?? createRandomId,
  };
}

/** Only builds get what opens a registry. */
function buildEnvironment({ environment, registryLogin }: SingularityBackendOptions): Record<string, string> {
  const variables = launchEnvironment(environment, { forBuild: true });
  if (registryLogin === undefined) return variables;
  for (const program of ['APPTAINER', 'SINGULARITY']) {
    variables[`${program}_DOCKER_USERNAME`] = registryLogin.username;
    variables[`${program}_DOCKER_PASSWORD`] = registryLogin.password.reveal();
  }
  return variables;
}
