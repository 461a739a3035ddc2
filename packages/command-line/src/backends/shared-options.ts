import { resolve } from 'node:path';
import { type Clock, type Logger, Secret } from '@talaria/core';
import type { TerminalConfig } from '@talaria/environments';
import type { Host } from '../host.ts';
import { expandHome, stateFolder } from '../state-folder.ts';
import type { ImageTeller } from './image-teller.ts';

/** What a backend is opened from. */
export interface BackendSource {
  readonly host: Host;
  readonly config: TerminalConfig;
  readonly logger: Logger;
  readonly tellImage: ImageTeller;
}

/** Options that all backends have. */
export interface SharedOptions {
  readonly stateFolder: string;
  readonly environment: Host['variables'];
  readonly env: Readonly<Record<string, string>>;
  readonly passthrough: readonly string[];
  readonly allowSecretEnv: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reads the options that all backends have. */
export function sharedOptions({ host, config, logger }: BackendSource): SharedOptions {
  return {
    stateFolder: stateFolder(host, config.state_dir),
    environment: host.variables,
    env: config.env,
    passthrough: config.env_passthrough,
    allowSecretEnv: config.allow_secret_env,
    clock: host.clock,
    logger,
  };
}

/** A path of the user's as an absolute one; `undefined` where there is none. */
export function hostPath(host: Host, path: string | null): string | undefined {
  return path === null ? undefined : resolve(host.cwd, expandHome(path, host.homeFolder));
}

/** A secret setting; `undefined` where there is none. */
export function secretOf(name: string, value: string | null): Secret | undefined {
  return value === null || value === '' ? undefined : new Secret(name, value);
}

/** Seconds of a setting as milliseconds. */
export function toMs(seconds: number | null): number | undefined {
  return seconds === null ? undefined : seconds * 1_000;
}

/** A list of what is allowed; an empty one allows all. */
export function listOrAny(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}
