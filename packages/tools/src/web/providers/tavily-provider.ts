import { z } from 'zod';
import type { ApiProviderOptions } from './api-provider-options.ts';
import { checkPage, createJsonApi, pageFailure, requestJson } from './json-api.ts';
import type { WebProvider } from './web-provider.ts';

const searchAnswer = z.looseObject({
  results: z.array(z.looseObject({ title: z.string().nullish(), url: z.string(), content: z.string().nullish() })),
});

const extractAnswer = z.looseObject({
  results: z.array(z.looseObject({ url: z.string(), title: z.string().nullish(), raw_content: z.string().nullish() })),
  failed_results: z.array(z.looseObject({ url: z.string().nullish(), error: z.string().nullish() })).nullish(),
});

/**
 * Searches and reads pages with Tavily (api.tavily.com).
 *
 * @throws ConfigError `config.invalid` for an address that is none, or a key that cannot be sent
 */
export function createTavilyProvider(options: ApiProviderOptions): WebProvider {
  const { apiKey, baseUrl = 'https://api.tavily.com', policy, clock } = options;
  const headers = { authorization: `Bearer ${apiKey.reveal()}` };
  const api = createJsonApi({ name: 'tavily', baseUrl, apiKey, headers, clock });
  return {
    name: api.name,
    async search(query, { limit, signal }) {
      const body = { query, max_results: limit, search_depth: 'basic' };
      const { results } = await requestJson(api, { path: '/search', body, schema: searchAnswer, signal });
      return results.map(({ title, url, content }) => ({ title: title ?? '', url, description: content ?? '' }));
    },
    async extract(url, { signal } = {}) {
      await checkPage(policy, url, signal);
      const body = { urls: [url], extract_depth: 'basic', format: 'markdown' };
      const answer = await requestJson(api, { path: '/extract', body, schema: extractAnswer, signal });
      const [page] = answer.results;
      if (page === undefined) throw pageFailure(api.name, answer.failed_results?.[0]?.error);
      return {
        url: page.url,
        title: page.title ?? '',
        content: page.raw_content ?? '',
        status: null,
        contentType: null,
        isIncomplete: false,
      };
    },
  };
}
