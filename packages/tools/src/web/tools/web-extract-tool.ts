import { mapConcurrent } from '@talaria/core';
import { toolFromOptions } from '../../define-tool.ts';
import type { Tool } from '../../tool.ts';
import { markedResult, toolError } from '../../tool-result.ts';
import { extractPage } from './extract-page.ts';
import { availabilityFor, type WebToolSetup } from './web-tool-setup.ts';

interface ExtractArguments {
  readonly urls: readonly string[];
  readonly offset?: number;
}

/** Addresses of one call. */
const maxUrls = 5;

/** Reads web pages as Markdown. */
export function createWebExtractTool(setup: WebToolSetup): Tool {
  const { extractTimeoutMs, maxConcurrency, maxPageChars, provider, summarizer, summaryTimeoutMs } = setup;
  const rounds = Math.ceil(maxUrls / maxConcurrency);
  const pageMs = extractTimeoutMs + (summarizer === undefined ? 0 : summaryTimeoutMs);
  return toolFromOptions<ExtractArguments>({
    name: 'web_extract',
    toolset: 'web',
    isParallelSafe: true,
    sideEffect: 'external',
    // Only for a provider that does not end when it is told to.
    timeoutMs: rounds * pageMs + 5_000,
    // Whole pages, what JSON adds to them, and their heads.
    maxResultChars: Math.ceil(maxUrls * (maxPageChars * 1.5 + 4_000)),
    description:
      `Read web pages as Markdown, up to ${maxUrls} at once. A page shows ${maxPageChars} characters; where it has more, ` +
      'go on with offset set to its next_offset.',
    parameters: {
      type: 'object',
      properties: {
        urls: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          maxItems: maxUrls,
          description: 'Complete addresses',
        },
        offset: { type: 'integer', minimum: 0, default: 0, description: 'Character of the content to begin with' },
      },
      required: ['urls'],
    },
    checkAvailability: () => availabilityFor(setup, 'extract'),
    async execute({ urls, offset = 0 }, context) {
      if (provider?.extract === undefined) return toolError('not_available', 'Web pages cannot be read here.');
      const pages = await mapConcurrent(urls, maxConcurrency, (url) => extractPage(url, offset, setup, context), {
        signal: context.signal,
      });
      // The call failed where no page could be read; one that could is worth its result.
      const hasPage = pages.some(({ errorKind }) => errorKind === null);
      const results = pages.map(({ result }) => result);
      return markedResult({ results }, hasPage ? null : (pages[0]?.errorKind ?? null));
    },
  });
}
