import { coerceText, describeFields, type VariableName, type Variables } from '@talaria/config';
import { ConfigError } from '@talaria/core';
import { z } from 'zod';

const sharedNames: readonly VariableName[] = [
  { name: 'OPENAI_BASE_URL', path: 'openai.base_url' },
  { name: 'OPENAI_MODEL', path: 'openai.model_name' },
  { name: 'ATROPOS_PROXY_URL', path: 'proxy_url' },
  { name: 'TERMINAL_ENV', path: 'terminal.backend' },
  { name: 'TERMINAL_TIMEOUT', path: 'terminal.timeout_sec' },
  { name: 'TERMINAL_LIFETIME_SECONDS', path: 'terminal.max_lifetime_sec' },
  { name: 'TERMINAL_SANDBOX_DIR', path: 'terminal.state_dir' },
  { name: 'TERMINAL_MAX_FOREGROUND_TIMEOUT', path: 'terminal.max_foreground_sec' },
];

const containerNames: readonly VariableName[] = [
  { name: 'TERMINAL_CONTAINER_CPU', path: 'terminal.cpu' },
  { name: 'TERMINAL_CONTAINER_MEMORY', path: 'terminal.memory_mb' },
  { name: 'TERMINAL_CONTAINER_DISK', path: 'terminal.disk_mb' },
];

const runAsHostUser = 'TERMINAL_DOCKER_RUN_AS_HOST_USER';

/**
 * Names that mean something for one backend only, so that a mistake in one says nothing while another is in use. What the
 * backends read themselves (`DOCKER_HOST`, `MODAL_ENVIRONMENT`, `DAYTONA_API_URL`, …) is not among them.
 */
const backendNames: Readonly<Record<string, readonly VariableName[]>> = {
  docker: [
    { name: 'TERMINAL_DOCKER_IMAGE', path: 'terminal.image' },
    ...containerNames,
    { name: 'TERMINAL_DOCKER_VOLUMES', path: 'terminal.docker.volumes' },
    { name: 'TERMINAL_DOCKER_FORWARD_ENV', path: 'terminal.env_passthrough' },
    { name: 'TERMINAL_DOCKER_ENV', path: 'terminal.env' },
    { name: 'TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE', path: 'terminal.docker.mount_cwd' },
    { name: runAsHostUser, path: 'terminal.docker.user' },
  ],
  ssh: [
    { name: 'TERMINAL_SSH_HOST', path: 'terminal.ssh.host' },
    { name: 'TERMINAL_SSH_USER', path: 'terminal.ssh.user' },
    { name: 'TERMINAL_SSH_PORT', path: 'terminal.ssh.port' },
    { name: 'TERMINAL_SSH_KEY', path: 'terminal.ssh.key_path' },
    { name: 'TERMINAL_SSH_PASSPHRASE', path: 'terminal.ssh.passphrase' },
    { name: 'TERMINAL_SSH_PASSWORD', path: 'terminal.ssh.password' },
  ],
  modal: [
    { name: 'TERMINAL_MODAL_IMAGE', path: 'terminal.image' },
    ...containerNames,
    { name: 'MODAL_TOKEN_ID', path: 'terminal.modal.token_id' },
    { name: 'MODAL_TOKEN_SECRET', path: 'terminal.modal.token_secret' },
  ],
  daytona: [
    { name: 'TERMINAL_DAYTONA_IMAGE', path: 'terminal.image' },
    ...containerNames,
    { name: 'DAYTONA_API_KEY', path: 'terminal.daytona.api_key' },
  ],
  singularity: [
    { name: 'TERMINAL_SINGULARITY_IMAGE', path: 'terminal.image' },
    ...containerNames,
    { name: 'TERMINAL_SCRATCH_DIR', path: 'terminal.singularity.scratch_dir' },
    { name: 'TERMINAL_DISK_WARNING_GB', path: 'terminal.singularity.disk_warn_gb' },
  ],
};

/** Variables with names that other programs use too, and that mean something for the backend. */
export function variableNames(backend: string, variables: Variables): readonly VariableName[] {
  const ownNames = Object.hasOwn(backendNames, backend) ? backendNames[backend] : undefined;
  return [
    ...sharedNames,
    ...(ownNames ?? []),
    ...(isSandboxFolder(variables) && backend !== 'local' ? [{ name: 'TERMINAL_CWD', path: 'terminal.cwd' }] : []),
  ];
}

/**
 * Puts what a setting takes in place of what upstream's variable says, where those differ.
 * @throws ConfigError `config.bad-variable`
 */
export function translateVariables(backend: string, variables: Variables): Variables {
  const text = variables[runAsHostUser];
  if (backend !== 'docker' || text === undefined || text === '') return variables;
  const [field] = describeFields(z.object({ isSet: z.boolean() }));
  const isSet = field === undefined ? undefined : coerceText(text, field);
  if (isSet?.ok !== true) {
    throw new ConfigError(`The variable ${runAsHostUser} does not take ${JSON.stringify(text.slice(0, 80))}`, {
      code: 'config.bad-variable',
      hint: 'Set it to true or false, or unset it.',
    });
  }
  return { ...variables, [runAsHostUser]: isSet.value === true ? 'host' : '' };
}

/** A folder of this machine's user means nothing inside a sandbox. */
function isSandboxFolder(variables: Variables): boolean {
  const folder = variables['TERMINAL_CWD'];
  const home = variables['HOME'];
  if (folder === undefined || !folder.startsWith('/')) return false;
  return home === undefined || home === '' || (folder !== home && !folder.startsWith(`${home}/`));
}
