import { z } from 'zod';
import type { ApiProviderOptions } from './api-provider-options.ts';
import { checkPage, createJsonApi, pageFailure, requestJson } from './json-api.ts';
import type { WebProvider } from './web-provider.ts';

const searchAnswer = z.looseObject({
  results: z.array(
    z.looseObject({ url: z.string(), title: z.string().nullish(), excerpts: z.array(z.string()).nullish() }),
  ),
});

const extractAnswer = z.looseObject({
  results: z.array(
    z.looseObject({
      url: z.string(),
      title: z.string().nullish(),
      excerpts: z.array(z.string()).nullish(),
      full_content: z.string().nullish(),
    }),
  ),
  errors: z
    .array(
      z.looseObject({
        error_type: z.string().nullish(),
        http_status_code: z.number().nullish(),
        content: z.string().nullish(),
      }),
    )
    .nullish(),
});

/**
 * Searches and reads pages with Parallel (api.parallel.ai, version 1 of its interface).
 *
 * @throws ConfigError `config.invalid` for an address that is none, or a key that cannot be sent
 */
export function createParallelProvider(options: ApiProviderOptions): WebProvider {
  const { apiKey, baseUrl = 'https://api.parallel.ai', policy, clock } = options;
  const api = createJsonApi({ name: 'parallel', baseUrl, apiKey, headers: { 'x-api-key': apiKey.reveal() }, clock });
  return {
    name: api.name,
    async search(query, { limit, signal }) {
      const body = {
        objective: query,
        search_queries: [query],
        mode: 'basic',
        advanced_settings: { max_results: limit },
      };
      const { results } = await requestJson(api, { path: '/v1/search', body, schema: searchAnswer, signal });
      return results.map(({ title, url, excerpts }) => ({
        title: title ?? '',
        url,
        description: (excerpts ?? []).join(' … '),
      }));
    },
    async extract(url, { signal } = {}) {
      await checkPage(policy, url, signal);
      const body = { urls: [url], advanced_settings: { full_content: true } };
      const answer = await requestJson(api, { path: '/v1/extract', body, schema: extractAnswer, signal });
      const [page] = answer.results;
      if (page === undefined) {
        const [error] = answer.errors ?? [];
        throw pageFailure(api.name, error?.content ?? error?.error_type, error?.http_status_code);
      }
      return {
        url: page.url,
        title: page.title ?? '',
        content: page.full_content ?? (page.excerpts ?? []).join('\n\n'),
        status: null,
        contentType: null,
        isIncomplete: false,
      };
    },
  };
}
