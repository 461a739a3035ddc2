import { errorMessage, isAbortOf, type JsonObject, openDeadline, truncateText } from '@talaria/core';
import type { ToolCallContext, ToolErrorKind } from '../../tool.ts';
import type { ExtractedPage } from '../providers/web-provider.ts';
import { cutWindow, withoutInlineImages } from './content-window.ts';
import { showAddress, showTitle } from './shown-text.ts';
import { summarizePage } from './summarize-page.ts';
import { describeWebFailure } from './web-failure.ts';
import type { WebToolSetup } from './web-tool-setup.ts';

/** What is shown of a media type, in UTF-16 units. */
const maxTypeChars = 100;

/** One page of a result, and what went wrong with it. */
export interface PageResult {
  readonly result: JsonObject;
  readonly errorKind: ToolErrorKind | null;
}

/** Reads one page. Rejects only with the signal's reason: everything else that goes wrong is a result. */
export async function extractPage(
  url: string,
  offset: number,
  setup: WebToolSetup,
  context: ToolCallContext,
): Promise<PageResult> {
  const { logger, settings, signal } = context;
  // Reward functions have no limit of output: they get pages whole, and as they are.
  const isWhole = settings.maxOutputChars === Number.POSITIVE_INFINITY;
  const maxPageChars = isWhole ? Number.POSITIVE_INFINITY : setup.maxPageChars;
  try {
    const page = await readPage(url, setup, context);
    const content = withoutInlineImages(page.content);
    if (offset > 0 && offset >= content.length) {
      return failed(url, 'invalid_args', `The page has only ${content.length} characters.`, {
        total_chars: content.length,
      });
    }
    const summary = offset > 0 || isWhole ? null : await summarize(page, content, setup, context);
    return {
      result: { ...showHead(page, url), ...(summary ?? showContent(content, offset, page, maxPageChars)) },
      errorKind: null,
    };
  } catch (error) {
    if (isAbortOf(error, signal)) throw error;
    const { kind, message, details } = describeWebFailure(error, logger);
    return failed(url, kind, message, details);
  }
}

async function readPage(
  address: string,
  { provider, policy, extractTimeoutMs }: WebToolSetup,
  { clock, signal, state }: ToolCallContext,
): Promise<ExtractedPage> {
  const { href } = policy.checkUrl(address);
  using deadline = openDeadline(clock, extractTimeoutMs, signal);
  const page = await provider?.extract?.(href, {
    signal: deadline.signal,
    timeLimitMs: extractTimeoutMs,
    caller: state,
  });
  if (page === undefined) throw new TypeError('The provider cannot read pages');
  // A service that follows redirects by itself may end where we do not go.
  policy.checkUrl(page.url);
  return { ...page, title: showTitle(page.title) };
}

function showHead({ url, title, status, contentType }: ExtractedPage, requested: string): JsonObject {
  return {
    url: showAddress(requested),
    ...(url === requested || url === URL.parse(requested)?.href ? {} : { final_url: showAddress(url) }),
    title,
    ...(status === null ? {} : { status }),
    ...(contentType === null ? {} : { content_type: truncateText(contentType, maxTypeChars) }),
  };
}

function showContent(text: string, offset: number, { isIncomplete }: ExtractedPage, maxPageChars: number): JsonObject {
  const { content, nextOffset } = cutWindow(text, offset, maxPageChars);
  return {
    content,
    ...(offset === 0 ? {} : { offset }),
    ...(nextOffset === null ? {} : { truncated: true, total_chars: text.length, next_offset: nextOffset }),
    ...(isIncomplete ? { note: 'The page is too large: its end was not read.' } : {}),
  };
}

/** `null` where there is nothing to summarise or nobody who does, or where that failed. */
async function summarize(
  { title, url }: ExtractedPage,
  content: string,
  { summarizer: model, summaryTimeoutMs }: WebToolSetup,
  { clock, logger, signal, userTask }: ToolCallContext,
): Promise<JsonObject | null> {
  if (model === undefined) return null;
  using deadline = openDeadline(clock, summaryTimeoutMs, signal);
  try {
    const summary = await summarizePage(content, { model, url, title, userTask, signal: deadline.signal });
    return summary === null || summary === ''
      ? null
      : { content: summary, summarized_by: model.name, total_chars: content.length };
  } catch (error) {
    if (isAbortOf(error, signal)) throw error;
    logger.warn('web.summary-failed', { url, message: errorMessage(error) });
    return null;
  }
}

function failed(url: string, kind: ToolErrorKind, message: string, details: JsonObject): PageResult {
  return {
    result: { url: showAddress(url), title: '', content: '', error: message, error_kind: kind, ...details },
    errorKind: kind,
  };
}
