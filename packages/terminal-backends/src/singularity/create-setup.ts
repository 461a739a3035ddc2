import { join } from 'node:path';
import { createId as createRandomId, createSemaphore, silentLogger, systemClock } from '@talaria/core';
import { createSandboxLedger } from '../ledger/sandbox-ledger.ts';
import { checkVariables, createSandboxEnvironment } from '../sandbox-environment.ts';
import { createSharedWork } from '../shared-work.ts';
import { runSingularity } from './run-program.ts';
import { checkSingularityOptions, type SingularityBackendOptions } from './singularity-options.ts';
import { findSingularity, launchEnvironment } from './singularity-program.ts';
import type { SingularitySetup } from './singularity-setup.ts';

const defaultGraceMs = 2_000;

/** Makes what the sandboxes of a backend share. @throws ConfigError */
export function createSingularitySetup(options: SingularityBackendOptions): SingularitySetup {
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
    call: (args, { build, ...call }) =>
      runSingularity({
        ...call,
        words: [findProgram(), ...args],
        environment: build === undefined ? environment : buildEnvironment(options, build.temporaryFolder),
        clock,
      }),
    builds: createSharedWork(),
    findings: { ways: { anyDisk: null, limitedDisk: null }, search: createSemaphore(1), lacksLimits: false },
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
function buildEnvironment(
  { environment, registryLogin }: SingularityBackendOptions,
  temporaryFolder: string,
): Record<string, string> {
  const programs = ['APPTAINER', 'SINGULARITY'] as const;
  // By default it unpacks below /tmp, which may be memory.
  const folders = programs.map((program) => [`${program}_TMPDIR`, temporaryFolder]);
  const variables = { ...Object.fromEntries(folders), ...launchEnvironment(environment, { forBuild: true }) };
  if (registryLogin === undefined) return variables;
  for (const program of programs) {
    variables[`${program}_DOCKER_USERNAME`] = registryLogin.username;
    variables[`${program}_DOCKER_PASSWORD`] = registryLogin.password.reveal();
  }
  return variables;
}
