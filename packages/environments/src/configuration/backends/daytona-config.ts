import { secretField } from '@talaria/config';
import { z } from 'zod';
import type { SchemaOf } from '../environment-config.ts';
import { optionalText, textList, wholeNumber } from '../field-schemas.ts';

/** The section `terminal.daytona`. */
export type DaytonaConfig = {
  /** `null`: `DAYTONA_JWT_TOKEN` with `DAYTONA_ORGANIZATION_ID`. */
  readonly api_key: string | null;
  /** Address of the API; `null`: `DAYTONA_API_URL`, else that of the service. */
  readonly api_url: string | null;
  /** Region; `null`: `DAYTONA_TARGET`, else that of the organization. */
  readonly target: string | null;
  /** Account of all processes; `null`: that of Daytona. */
  readonly user: string | null;
  /** Networks that programs may reach; empty: all. */
  readonly allowed_cidrs: readonly string[];
  /** Names that programs may reach; empty: all. */
  readonly allowed_domains: readonly string[];
  /** Largest disk that the organization may ask for. */
  readonly max_disk_gb: number;
  /** Seconds that a creation may take, the build of the image included. */
  readonly create_timeout_sec: number;
};

/** Schema of the section `terminal.daytona`. */
export const daytonaConfigSchema: SchemaOf<DaytonaConfig> = z
  .strictObject({
    api_key: secretField('Key of the API, written as the name of a variable: $' + '{NAME}.'),
    api_url: optionalText('Address of the API; null: DAYTONA_API_URL, else that of the service.'),
    target: optionalText('Region, for example eu; null: DAYTONA_TARGET, else that of the organization.'),
    user: optionalText('Account of all processes; null: that of Daytona.'),
    allowed_cidrs: textList('Networks that programs may reach, for example 10.0.0.0/8; empty: all.'),
    allowed_domains: textList('Names that programs may reach, for example *.pypi.org; empty: all.'),
    max_disk_gb: wholeNumber(
      10,
      'Largest disk that the organization may ask for; terminal.disk_mb is cut down to it.',
      1,
    ),
    create_timeout_sec: z
      .number()
      .positive()
      .default(300)
      .describe('Seconds that making a sandbox may take, the build of its image included.'),
  })
  .describe('sandboxes of daytona.io');
