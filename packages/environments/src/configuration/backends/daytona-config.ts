import { secretField } from '@talaria/config';
import { z } from 'zod';
import type { SchemaOf } from '../environment-config.ts';
import { optionalNumber, optionalText, textList } from '../field-schemas.ts';

/** The section `terminal.daytona`. */
export type DaytonaConfig = {
  readonly api_key: string | null;
  /** Address of the API; `null`: `DAYTONA_API_URL`, else that of the service. */
  readonly api_url: string | null;
  /** Region; `null`: `DAYTONA_TARGET`, else that of the organisation. */
  readonly target: string | null;
  /** Needed with `DAYTONA_JWT_TOKEN` only. */
  readonly organization_id: string | null;
  /** Account of all processes; `null`: that of the image. */
  readonly user: string | null;
  /** Networks that programs may reach; empty: all. */
  readonly allowed_cidrs: readonly string[];
  /** Names that programs may reach; empty: all. */
  readonly allowed_domains: readonly string[];
  /** Seconds without a command after which Daytona stops a sandbox; `null`: its lifetime. */
  readonly idle_timeout_sec: number | null;
  /** Seconds that a creation may take, the build of the image included. */
  readonly create_timeout_sec: number;
};

/** Schema of the section `terminal.daytona`. */
export const daytonaConfigSchema: SchemaOf<DaytonaConfig> = z
  .strictObject({
    api_key: secretField('Key of the API, written as the name of a variable: $' + '{NAME}.'),
    api_url: optionalText('Address of the API; null: that of the service.'),
    target: optionalText('Region; null: that of the organisation.'),
    organization_id: optionalText('Organisation, where DAYTONA_JWT_TOKEN stands for the key.'),
    user: optionalText('Account of all processes; null: that of the image.'),
    allowed_cidrs: textList('Networks that programs may reach, for example 10.0.0.0/8; empty: all.'),
    allowed_domains: textList('Names that programs may reach, for example *.pypi.org; empty: all.'),
    idle_timeout_sec: optionalNumber('Seconds without a command after which Daytona stops a sandbox; null: its life.'),
    create_timeout_sec: z.number().positive().default(300).describe('Seconds that a creation may take.'),
  })
  .describe('sandboxes of daytona.io');
