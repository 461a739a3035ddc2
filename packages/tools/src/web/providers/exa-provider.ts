import { z } from 'zod';
import type { ApiProviderOptions } from './api-provider-options.ts';
import { checkPage, createJsonApi, pageFailure, requestJson } from './json-api.ts';
import type { WebProvider } from './web-provider.ts';

const searchAnswer = z.looseObject({
  results: z.array(
    z.looseObject({ title: z.string().nullish(), url: z.string(), highlights: z.array(z.string()).nullish() }),
  ),
});

const contentsAnswer = z.looseObject({
  results: z.array(z.looseObject({ title: z.string().nullish(), url: z.string(), text: z.string().nullish() })),
  statuses: z
    .array(
      z.looseObject({
        status: z.string().nullish(),
        error: z.looseObject({ tag: z.string().nullish(), httpStatusCode: z.number().nullish() }).nullish(),
      }),
    )
    .nullish(),
});

/**
 * Searches and reads pages with Exa (api.exa.ai).
 *
 * @throws ConfigError `config.invalid` for an address that is none, or a key that cannot be sent
 */
export function createExaProvider(options: ApiProviderOptions): WebProvider {
  const { apiKey, baseUrl = 'https://api.exa.ai', policy, clock } = options;
  const api = createJsonApi({ name: 'exa', baseUrl, apiKey, headers: { 'x-api-key': apiKey.reveal() }, clock });
  return {
    name: api.name,
    async search(query, { limit, signal }) {
      const body = { query, numResults: limit, type: 'auto', contents: { highlights: true } };
      const { results } = await requestJson(api, { path: '/search', body, schema: searchAnswer, signal });
      return results.map(({ title, url, highlights }) => ({
        title: title ?? '',
        url,
        description: (highlights ?? []).join(' … '),
      }));
    },
    async extract(url, { signal } = {}) {
      await checkPage(policy, url, signal);
      const body = { urls: [url], text: true };
      const answer = await requestJson(api, { path: '/contents', body, schema: contentsAnswer, signal });
      const [page] = answer.results;
      if (page === undefined) {
        const error = answer.statuses?.find(({ status }) => status === 'error')?.error;
        throw pageFailure(api.name, error?.tag, error?.httpStatusCode);
      }
      return {
        url: page.url,
        title: page.title ?? '',
        content: page.text ?? '',
        status: null,
        contentType: null,
        isIncomplete: false,
      };
    },
  };
}
