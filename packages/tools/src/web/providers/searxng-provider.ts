import type { Clock } from '@talaria/core';
import { z } from 'zod';
import { isWebError, WebError } from '../web-error.ts';
import { createJsonApi, requestJson } from './json-api.ts';
import type { WebProvider } from './web-provider.ts';

/** What {@link createSearxngProvider} takes. */
export interface SearxngProviderOptions {
  /** Where the instance is; it may be in a private network. Its settings must allow the format `json`. */
  readonly baseUrl: string;
  /** @default the real clock */
  readonly clock?: Clock | undefined;
}

const searchAnswer = z.looseObject({
  results: z.array(z.looseObject({ title: z.string().nullish(), url: z.string(), content: z.string().nullish() })),
});

/**
 * Searches with an instance of SearXNG of one's own. It cannot read pages.
 *
 * @throws ConfigError `config.invalid` where `baseUrl` is no address of `http:` or `https:`, or holds credentials or a query
 */
export function createSearxngProvider({ baseUrl, clock }: SearxngProviderOptions): WebProvider {
  const api = createJsonApi({ name: 'searxng', baseUrl, apiKey: undefined, headers: {}, clock });
  return {
    name: api.name,
    async search(query, { limit, signal }) {
      const path = `/search?${new URLSearchParams({ q: query, format: 'json' })}`;
      try {
        const { results } = await requestJson(api, { path, schema: searchAnswer, signal });
        return results
          .slice(0, limit)
          .map(({ title, url, content }) => ({ title: title ?? '', url, description: content ?? '' }));
      } catch (error) {
        if (!isWebError(error) || error.status !== 403) throw error;
        throw new WebError('permission', 'searxng does not answer in JSON (HTTP status 403).', {
          status: 403,
          hint: 'Add "json" to search.formats in the settings of the instance.',
          cause: error,
        });
      }
    },
  };
}
