import type { VariableName, Variables } from '@talaria/config';

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

const imageVariables: Readonly<Record<string, string>> = {
  docker: 'TERMINAL_DOCKER_IMAGE',
  modal: 'TERMINAL_MODAL_IMAGE',
  daytona: 'TERMINAL_DAYTONA_IMAGE',
  singularity: 'TERMINAL_SINGULARITY_IMAGE',
};

/** Variables with names that other programs use too, and that mean something for the backend. */
export function variableNames(backend: string, variables: Variables): readonly VariableName[] {
  const imageVariable = imageVariables[backend];
  return [
    ...sharedNames,
    ...(imageVariable === undefined ? [] : [{ name: imageVariable, path: 'terminal.image' }, ...containerNames]),
    ...(isSandboxFolder(variables) && backend !== 'local' ? [{ name: 'TERMINAL_CWD', path: 'terminal.cwd' }] : []),
  ];
}

/** A folder of this machine's user means nothing inside a sandbox. */
function isSandboxFolder(variables: Variables): boolean {
  const folder = variables['TERMINAL_CWD'];
  const home = variables['HOME'];
  if (folder === undefined || !folder.startsWith('/')) return false;
  return home === undefined || home === '' || (folder !== home && !folder.startsWith(`${home}/`));
}
