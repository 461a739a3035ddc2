import { isAbsolute } from 'node:path';
import { ConfigError, type Secret } from '@talaria/core';
import type { BackendOptions } from '../backend-options.ts';

/** Options of {@link createDaytonaBackend}. */
export interface DaytonaBackendOptions extends BackendOptions {
  /**
   * Variables of the host: `DAYTONA_API_KEY`, `DAYTONA_JWT_TOKEN`, `DAYTONA_ORGANIZATION_ID`, `DAYTONA_API_URL` and
   * `DAYTONA_TARGET` are read, and a sandbox gets those that `passthrough` names.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** @default `DAYTONA_API_KEY`; without one, `DAYTONA_JWT_TOKEN` with `DAYTONA_ORGANIZATION_ID` */
  readonly apiKey?: Secret | undefined;
  /** @default `DAYTONA_API_URL`, else `https://app.daytona.io/api` */
  readonly apiUrl?: string | undefined;
  /** Region, for example `eu`. @default `DAYTONA_TARGET`, else that of the organization */
  readonly target?: string | undefined;

  /** Image where the spec names none: a reference, or `snapshot:NAME`. @default none: the spec must */
  readonly image?: string | undefined;
  /** Start folder where the spec names none. @default the home folder */
  readonly cwd?: string | undefined;
  /** User of all processes. @default that of Daytona */
  readonly user?: string | undefined;
  /** Whether programs may reach the network where the spec does not say. @default true */
  readonly allowNetwork?: boolean | undefined;
  /** Address ranges that programs may reach where they may use the network, for example `10.0.0.0/8`. @default all */
  readonly networkAllowList?: readonly string[] | undefined;
  /** Domains that programs may reach where they may use the network. @default all */
  readonly domainAllowList?: readonly string[] | undefined;
  /** Largest disk that the organization may ask for; what is above is cut down to it, with a warning. @default 10 */
  readonly maxDiskGiB?: number | undefined;
  /** How long making a sandbox may take, the build of its image included. @default 300_000 */
  readonly createTimeoutMs?: number | undefined;
  /** Hears the log of the builds of images. @default nobody */
  readonly onBuildLog?: ((log: DaytonaBuildLog) => void) | undefined;

  /** Gives the package `@daytona/sdk`, for programs that are bundled. @default it is imported */
  readonly importSdk?: (() => Promise<unknown>) | undefined;
}

/** What the build of an image tells. */
export interface DaytonaBuildLog {
  readonly image: string;
  /** One line or several, without the last end. */
  readonly text: string;
}

/** Refuses what Daytona would misread or refuse late. @throws ConfigError `config.invalid` */
export function checkDaytonaOptions({ stateFolder, apiUrl, maxDiskGiB }: DaytonaBackendOptions): void {
  if (!isAbsolute(stateFolder)) {
    throw invalid(
      `The state folder of the daytona backend ${JSON.stringify(stateFolder)} is not absolute`,
      'Give a path that starts with /.',
    );
  }
  if (apiUrl !== undefined && !/^https?:\/\//.test(apiUrl)) {
    throw invalid(
      `${JSON.stringify(apiUrl)} is no address of a Daytona API`,
      'Give one like https://app.daytona.io/api.',
    );
  }
  if (maxDiskGiB !== undefined && !(Number.isInteger(maxDiskGiB) && maxDiskGiB > 0)) {
    throw invalid(
      `maxDiskGiB must be a whole number above 0, not ${maxDiskGiB}`,
      'Give the limit of the organization.',
    );
  }
}

function invalid(message: string, hint: string): ConfigError {
  return new ConfigError(message, { code: 'config.invalid', hint });
}
