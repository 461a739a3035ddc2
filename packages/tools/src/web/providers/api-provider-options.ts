import type { Clock, Secret } from '@talaria/core';
import type { UrlPolicy } from '../url-policy/index.ts';

/** What the providers take that ask a service with a key. */
export interface ApiProviderOptions {
  readonly apiKey: Secret;
  /** Where the service is, without credentials and query. @default its public address */
  readonly baseUrl?: string | undefined;
  /** Pages must pass it before the service is asked to read them. */
  readonly policy: UrlPolicy;
  /** @default the real clock */
  readonly clock?: Clock | undefined;
}
