import { join } from 'node:path';
import { createSemaphore } from '@talaria/core';
import { createBackendSetup } from '../backend-setup.ts';
import { createSharedWork } from '../shared-work.ts';
import { runSingularity } from './run-program.ts';
import { checkSingularityOptions, type SingularityBackendOptions } from './singularity-options.ts';
import { findSingularity, launchEnvironment } from './singularity-program.ts';
import type { SingularitySetup } from './singularity-setup.ts';

/** Makes what the sandboxes of a backend share. @throws ConfigError */
export function createSingularitySetup(options: SingularityBackendOptions): SingularitySetup {
  checkSingularityOptions(options);
  const { environment: host, stateFolder, scratchFolder } = options;
  const setup = createBackendSetup(options);
  const environment = launchEnvironment(host);
  const findProgram = () => findSingularity(options.program, host['PATH']);
  return {
    ...setup,
    options,
    findProgram,
    environment,
    call: (args, { build, ...call }) =>
      runSingularity({
        ...call,
        words: [findProgram(), ...args],
        environment: build === undefined ? environment : buildEnvironment(options, build.temporaryFolder),
        clock: setup.clock,
      }),
    builds: createSharedWork(),
    findings: { ways: { anyDisk: null, limitedDisk: null }, search: createSemaphore(1), lacksLimits: false },
    folderOf: (id) => (scratchFolder === undefined ? setup.ledger.folderOf(id) : join(scratchFolder, id)),
    cacheFolder: options.cacheFolder ?? join(stateFolder, 'images'),
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
