import { ConfigError } from '@talaria/core';

/** What the environment of a sandbox is made from. */
export interface EnvironmentSource {
  /** Variables of the machine that runs Talaria. */
  readonly hostEnvironment: Readonly<Record<string, string | undefined>>;
  /** Names to hand on beside the allow list. */
  readonly passthrough: readonly string[];
  /** Names in `passthrough` that look secret and are meant. */
  readonly allowSecretEnv: readonly string[];
}

/** Places inside one sandbox that its environment names. */
export interface EnvironmentPlaces {
  readonly home: string;
  readonly temporaryFolder: string;
}

/** `PATH` where the host has none. */
export const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const constants: Readonly<Record<string, string>> = {
  SHELL: '/bin/bash',
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  DEBIAN_FRONTEND: 'noninteractive',
  PYTHONUNBUFFERED: '1',
  NO_COLOR: '1',
  COLUMNS: '120',
};

/** Time zone, and each part of a locale. Whole names: people put other things into `LC_…`, since servers take them all. */
const localeNames: readonly string[] = [
  ...['TZ', 'LC_ALL', 'LC_ADDRESS', 'LC_COLLATE', 'LC_CTYPE', 'LC_IDENTIFICATION', 'LC_MEASUREMENT', 'LC_MESSAGES'],
  ...['LC_MONETARY', 'LC_NAME', 'LC_NUMERIC', 'LC_PAPER', 'LC_TELEPHONE', 'LC_TIME'],
];

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|DSN|WEBHOOK|COOKIE/i;
const urlWithUserInfo = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]+@/i;

/**
 * Makes the variables of a sandbox's processes from an allow list: what is not named here or in `passthrough` stays on
 * the host. @throws ConfigError `config.secret-variable` for a name that looks secret and is not in `allowSecretEnv`
 */
export function createSandboxEnvironment(
  source: EnvironmentSource,
  places: EnvironmentPlaces & { readonly user: string },
): Record<string, string> {
  const { hostEnvironment } = source;
  const variables: Record<string, string> = {
    ...constants,
    PATH: hostEnvironment['PATH'] || defaultPath,
    HOME: places.home,
    USER: places.user,
    LOGNAME: places.user,
    TMPDIR: places.temporaryFolder,
    LANG: hostEnvironment['LANG'] || 'C.UTF-8',
  };
  for (const name of localeNames) {
    const value = hostEnvironment[name];
    if (value !== undefined) variables[name] = value;
  }
  for (const name of source.passthrough) {
    const value = hostEnvironment[name];
    if (value === undefined) continue;
    refuseUnmeantSecret(name, value, source.allowSecretEnv);
    variables[name] = value;
  }
  checkVariables(variables);
  return variables;
}

/** Refuses variables that no shell can hold. @throws ConfigError `config.invalid-variable` */
export function checkVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (!variableName.test(name) || value.includes('\0')) {
      throw new ConfigError(`The variable ${JSON.stringify(name)} cannot be set in a sandbox`, {
        code: 'config.invalid-variable',
        hint: 'Use a name of letters, digits and underscores that starts with no digit, and a value without NUL.',
      });
    }
  }
}

function refuseUnmeantSecret(name: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(name)) return;
  if (!secretName.test(name) && !urlWithUserInfo.test(value)) return;
  throw new ConfigError(`The variable ${name} looks secret and would be visible to every program in the sandbox`, {
    code: 'config.secret-variable',
    hint: `Take ${name} off the passed-on names, or list it in allowSecretEnv (terminal.allow_secret_env) too.`,
  });
}
