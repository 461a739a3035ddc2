import type { Secret } from '@talaria/core';
import { z } from 'zod';
import type { ApiProviderOptions } from './api-provider-options.ts';
import { checkPage, createJsonApi, pageFailure, requestJson } from './json-api.ts';
import type { WebProvider } from './web-provider.ts';

/** What {@link createFirecrawlProvider} takes. */
export interface FirecrawlProviderOptions extends Omit<ApiProviderOptions, 'apiKey'> {
  /** Not needed by a server of one's own, whose address is `baseUrl`. */
  readonly apiKey?: Secret | undefined;
}

const searchAnswer = z.looseObject({
  data: z.looseObject({
    web: z
      .array(z.looseObject({ title: z.string().nullish(), url: z.string(), description: z.string().nullish() }))
      .nullish(),
  }),
});

const scrapeAnswer = z.looseObject({
  success: z.boolean().nullish(),
  error: z.string().nullish(),
  data: z
    .looseObject({
      markdown: z.string().nullish(),
      metadata: z
        .looseObject({
          // Pages that give a tag twice have a list of titles.
          title: z.union([z.string(), z.array(z.string())]).nullish(),
          url: z.string().nullish(),
          sourceURL: z.string().nullish(),
          statusCode: z.number().nullish(),
          contentType: z.string().nullish(),
          error: z.string().nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

/**
 * Searches and reads pages with Firecrawl (api.firecrawl.dev, version 2 of its interface, or a server of one's own).
 *
 * @throws ConfigError `config.invalid` for an address that is none, or a key that cannot be sent
 */
export function createFirecrawlProvider(options: FirecrawlProviderOptions): WebProvider {
  const { apiKey, baseUrl = 'https://api.firecrawl.dev', policy, clock } = options;
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey.reveal()}` };
  const api = createJsonApi({ name: 'firecrawl', baseUrl, apiKey, headers, clock });
  return {
    name: api.name,
    async search(query, { limit, signal }) {
      const body = { query, limit, sources: ['web'] };
      const { data } = await requestJson(api, { path: '/v2/search', body, schema: searchAnswer, signal });
      return (data.web ?? []).map(({ title, url, description }) => ({
        title: title ?? '',
        url,
        description: description ?? '',
      }));
    },
    async extract(url, { signal } = {}) {
      await checkPage(policy, url, signal);
      const body = { url, formats: ['markdown'], onlyMainContent: true, removeBase64Images: true };
      const answer = await requestJson(api, { path: '/v2/scrape', body, schema: scrapeAnswer, signal });
      const { markdown, metadata } = answer.data ?? {};
      const status = metadata?.statusCode ?? null;
      if (answer.success === false || markdown === null || markdown === undefined || (status ?? 200) >= 400) {
        const reason = metadata?.error ?? answer.error ?? (status === null ? undefined : `HTTP status ${status}`);
        throw pageFailure(api.name, reason, status);
      }
      const title = metadata?.title ?? '';
      return {
        url: metadata?.url ?? metadata?.sourceURL ?? url,
        title: typeof title === 'string' ? title : (title[0] ?? ''),
        content: markdown,
        status,
        contentType: metadata?.contentType ?? null,
        isIncomplete: false,
      };
    },
  };
}
