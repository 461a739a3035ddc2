import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { ConfigError } from '@talaria/core';
import { findProgram } from '../local/host-programs.ts';

/** Names of the program, the newer first. */
const programNames = ['apptainer', 'singularity'] as const;

/** Finds the program. @throws ConfigError `config.missing-program` */
export function findSingularity(wanted: string | undefined, path: string | undefined): string {
  const names = wanted === undefined ? programNames : [wanted];
  for (const name of names) {
    const found = isAbsolute(name) ? findProgram(name.slice(1), '/') : findProgram(name, path);
    if (found !== null) return found;
  }
  throw new ConfigError(
    wanted === undefined
      ? 'No folder of PATH has apptainer, nor singularity'
      : `The program ${JSON.stringify(wanted)} is not there, or may not be run`,
    {
      code: 'config.missing-program',
      hint: 'Install Apptainer (conda install -c conda-forge apptainer), or load its module on a cluster (module load apptainer, or singularity); its path may be given as program.',
    },
  );
}

const handedOn = ['PATH', 'USER', 'LOGNAME', 'LANG', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'];
const ownFolders = ['CACHEDIR', 'TMPDIR', 'CONFIGDIR'].flatMap((name) => [`APPTAINER_${name}`, `SINGULARITY_${name}`]);
const proxies = ['http_proxy', 'https_proxy', 'no_proxy'].flatMap((name) => [name, name.toUpperCase()]);
const registryAccess = [...proxies, 'DOCKER_HOST', 'DOCKER_CONFIG', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

/**
 * Variables of the program itself. It hands on whatever it has where it is not told otherwise, so it gets little; with
 * `forBuild` also what it reaches registries and the Docker engine with.
 */
export function launchEnvironment(
  host: Readonly<Record<string, string | undefined>>,
  { forBuild = false }: { readonly forBuild?: boolean | undefined } = {},
): Record<string, string> {
  const variables: Record<string, string> = { HOME: host['HOME'] || userInfo().homedir };
  for (const name of [...handedOn, ...ownFolders, ...(forBuild ? registryAccess : [])]) {
    const value = host[name];
    if (value) variables[name] = value;
  }
  return variables;
}
