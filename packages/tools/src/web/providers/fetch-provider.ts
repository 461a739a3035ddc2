import { type Clock, type Logger, systemClock } from '@talaria/core';
import { createPolicyFetch, type PolicyFetch, type PolicyResponse } from '../http/policy-fetch.ts';
import { contentKindOf, mediaTypeOf } from '../page/content-kind.ts';
import { decodeText } from '../page/decode-text.ts';
import { createHtmlConverter, type HtmlConverterOptions } from '../page/html-converter.ts';
import type { UrlPolicy } from '../url-policy/index.ts';
import { isPassingStatus, kindOfStatus, WebError } from '../web-error.ts';
import type { ExtractedPage, WebProvider } from './web-provider.ts';

/** What {@link createFetchProvider} takes. */
export interface FetchProviderOptions {
  readonly policy: UrlPolicy;
  /** @default one made of the policy with its defaults */
  readonly fetchPage?: PolicyFetch | undefined;
  /** How HTML becomes Markdown. @default see {@link HtmlConverterOptions} */
  readonly html?: Omit<HtmlConverterOptions, 'clock' | 'logger'> | undefined;
  /** @default the real clock */
  readonly clock?: Clock | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
}

/**
 * Reads pages itself, without a service: HTML as Markdown, other text as it is. Pictures, PDF and other files are refused
 * with their type. It cannot search. Dispose of it when done.
 */
export function createFetchProvider(options: FetchProviderOptions): WebProvider {
  const { policy, clock = systemClock, logger, html = {} } = options;
  const fetchPage = options.fetchPage ?? createPolicyFetch(policy, { clock });
  const converter = createHtmlConverter({ ...html, clock, logger });

  return {
    name: 'fetch',
    async extract(url, { signal, timeLimitMs = Number.POSITIVE_INFINITY, caller } = {}): Promise<ExtractedPage> {
      const startedAtMs = clock.monotonicMs();
      const response = await fetchPage(url, { signal });
      const mediaType = mediaTypeOf(response.contentType);
      refuseFailure(response, mediaType);
      const kind = contentKindOf(mediaType, response.bytes);
      if (kind !== 'html' && kind !== 'text') throw unreadable(kind, response, mediaType);
      const { text } = decodeText(response.bytes, response.contentType);
      const page = { url: response.url, status: response.status, contentType: mediaType ?? null };
      if (kind === 'text') return { ...page, title: '', content: text, isIncomplete: response.isTruncated };
      const { title, markdown, isTruncated } = await converter.convert(text, response.url, {
        signal,
        caller,
        timeLimitMs: timeLimitMs - (clock.monotonicMs() - startedAtMs),
      });
      return { ...page, title, content: markdown, isIncomplete: response.isTruncated || isTruncated };
    },
    async [Symbol.asyncDispose]() {
      await converter[Symbol.asyncDispose]();
    },
  };
}

function refuseFailure({ status, url }: PolicyResponse, contentType: string | undefined): void {
  if (status >= 200 && status < 300) return;
  throw new WebError(kindOfStatus(status), `${new URL(url).host} answered with HTTP status ${status}.`, {
    status,
    contentType,
    retryable: isPassingStatus(status),
  });
}

function unreadable(
  kind: 'pdf' | 'image' | 'binary',
  { status, url }: PolicyResponse,
  mediaType: string | undefined,
): WebError {
  const what = { pdf: 'a PDF', image: 'a picture', binary: 'no text' }[kind];
  const type = mediaType === undefined ? '' : ` (${mediaType})`;
  const advice = kind === 'pdf' ? ' Look for a page in HTML with the same content.' : '';
  return new WebError(
    'not_available',
    `${new URL(url).host} sent ${what}${type}, which cannot be read here.${advice}`,
    {
      status,
      contentType: mediaType,
    },
  );
}
