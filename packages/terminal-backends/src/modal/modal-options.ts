import { isAbsolute } from 'node:path';
import { ConfigError, type Secret } from '@talaria/core';
import type { BackendOptions } from '../backend-options.ts';

/** Options of {@link createModalBackend}. */
export interface ModalBackendOptions extends BackendOptions {
  /**
   * Variables of this machine: `MODAL_TOKEN_ID`, `MODAL_TOKEN_SECRET`, `MODAL_OAUTH_*` and `MODAL_ENVIRONMENT` are handed to
   * the SDK, and a sandbox gets those that `passthrough` names. `MODAL_SERVER_URL`, `MODAL_PROFILE` and `MODAL_CONFIG_PATH`
   * the SDK reads by itself, from those of this process.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Needs `tokenSecret` too. @default that of `environment`, else of the profile in `~/.modal.toml` */
  readonly tokenId?: string | undefined;
  readonly tokenSecret?: Secret | undefined;
  /** Modal's environment (a part of a workspace). @default `MODAL_ENVIRONMENT`, else that of the profile */
  readonly environmentName?: string | undefined;
  /** App that the sandboxes belong to; made if it is not there. @default 'talaria' */
  readonly appName?: string | undefined;
  /** Stands in the tag `talaria-run` of the sandboxes, to find them by. @default no tag */
  readonly runId?: string | undefined;

  /** Image where the spec names none: a name for a registry, or `im-…` of a snapshot or a build. @default none: the spec must */
  readonly image?: string | undefined;
  /** Name of a Modal secret with the login for the images' registry. @default none */
  readonly registrySecret?: string | undefined;
  /**
   * Lines of a Dockerfile that every image from a registry is extended by (`RUN pip install …`). Modal builds that once per
   * image. Files of this machine cannot be copied. @default none: images stay as they are
   */
  readonly setupCommands?: readonly string[] | undefined;

  /** Start folder where the spec names none. @default the home folder */
  readonly cwd?: string | undefined;
  /** Processor cores that are reserved where the spec names none. @default what Modal gives */
  readonly cpus?: number | undefined;
  /** Most cores that a sandbox may use; never less than what is reserved. @default what is reserved */
  readonly cpuLimit?: number | undefined;
  /** Memory that is reserved where the spec names none. @default what Modal gives */
  readonly memoryMiB?: number | undefined;
  /** Most memory that a sandbox may use; never less than what is reserved. @default what is reserved */
  readonly memoryLimitMiB?: number | undefined;
  /** For example `T4`, or `A100-80GB:2`. @default none */
  readonly gpu?: string | undefined;
  /** Whether programs may reach the network where the spec does not say. @default true */
  readonly allowNetwork?: boolean | undefined;
  /** Networks that programs may reach, for example `10.0.0.0/8`, where they may reach any. @default all */
  readonly allowedCidrs?: readonly string[] | undefined;
  /** Names that programs may reach, for example `*.pypi.org`, where they may reach any. @default all */
  readonly allowedDomains?: readonly string[] | undefined;
  /** Regions to run in, for example `us-east`. @default any */
  readonly regions?: readonly string[] | undefined;
  /**
   * Modal ends a sandbox in which nothing has run for so long, in milliseconds. Its launcher runs as long as it is open, so
   * that a model may think as long as it likes. @default never: the lifetime ends it
   */
  readonly idleTimeoutMs?: number | undefined;
  /** Longest wait for a sandbox to be made once its image is built, in milliseconds. @default 600_000 */
  readonly createTimeoutMs?: number | undefined;
  /** How long Modal keeps snapshots, in milliseconds; `null` for ever. @default null */
  readonly snapshotLifetimeMs?: number | null | undefined;

  /** Gives the package `modal`, for programs that are bundled. @default it is imported */
  readonly importModal?: (() => Promise<unknown>) | undefined;
}

const positives = [
  'cpus',
  'cpuLimit',
  'memoryMiB',
  'memoryLimitMiB',
  'idleTimeoutMs',
  'createTimeoutMs',
  'snapshotLifetimeMs',
] as const;

/** Refuses what Modal or its SDK would misread or refuse late. @throws ConfigError `config.invalid` */
export function checkModalOptions(options: ModalBackendOptions): void {
  const { stateFolder, appName, tokenId, tokenSecret } = options;
  if (!isAbsolute(stateFolder)) {
    throw invalid(
      `The state folder ${JSON.stringify(stateFolder)} of the modal backend is not absolute`,
      'Give a path that starts with /.',
    );
  }
  if (appName !== undefined && !/^[A-Za-z0-9._-]{1,63}$/.test(appName)) {
    throw invalid(
      `Modal takes no app with the name ${JSON.stringify(appName)}`,
      'Use up to 63 letters, digits, dashes, periods and underscores (terminal.modal.app_name).',
    );
  }
  if ((tokenId === undefined) !== (tokenSecret === undefined)) {
    throw invalid(
      'A Modal token has an id and a secret, and one of them is missing',
      'Give both (terminal.modal.token_id and terminal.modal.token_secret), or none.',
    );
  }
  for (const name of positives) {
    const value = options[name];
    if (value === undefined || value === null || (Number.isFinite(value) && value > 0)) continue;
    throw invalid(`The option ${name} of the modal backend is ${value}`, 'Give a number above 0.');
  }
}

function invalid(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.invalid', hint });
}
