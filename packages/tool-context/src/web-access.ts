import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  mapConcurrent,
  parseJson,
  TaskError,
  truncateText,
} from '@talaria/core';
import type { ToolCallOutcome } from '@talaria/tools';
import { readWhole } from './read-whole.ts';

/** One result of a search of the web. */
export interface WebHit {
  readonly url: string;
  readonly title: string;
  readonly description: string;
}

/** One page that was read. */
export interface WebPage {
  readonly url: string;
  readonly title: string;
  /** Markdown, the whole of it; empty where the page could not be read. */
  readonly content: string;
  /** Whether the end is missing, since the page is too large to be read, or a model shortened it. */
  readonly isIncomplete: boolean;
  /** Why it could not be read; `null` where it could. */
  readonly error: string | null;
}

/** Where the browser is. */
export interface BrowserPage {
  readonly url: string;
  readonly title: string;
}

/** The web tools of a rollout, as functions with typed results. */
export interface WebAccess {
  webSearch(query: string, options?: { readonly limit?: number | undefined }): Promise<readonly WebHit[]>;
  webExtract(urls: readonly string[]): Promise<readonly WebPage[]>;
  browserNavigate(url: string): Promise<BrowserPage>;
  browserSnapshot(): Promise<string>;
}

/** Creates them over `callTool`. */
export function createWebAccess(callTool: (name: string, args: JsonObject) => Promise<ToolCallOutcome>): WebAccess {
  async function call(name: string, args: JsonObject): Promise<JsonObject> {
    const outcome = await callTool(name, args);
    const result = objectOf(outcome.content);
    if (outcome.isError || !isWhole(result)) throw toolFailed(name, outcome);
    return result;
  }

  /** A call of which no page could be read is an error; its results say why all the same. */
  async function extract(args: JsonObject): Promise<readonly JsonObject[]> {
    const outcome = await callTool('web_extract', args);
    const result = objectOf(outcome.content);
    if (!isWhole(result) || !Array.isArray(result['results'])) throw toolFailed('web_extract', outcome);
    return objectsOf(result['results']);
  }

  async function readPage(url: string, first: JsonObject): Promise<WebPage> {
    const whole = await readWhole(first, 'content', async (offset) => {
      const [part = {}] = await extract({ urls: [url], offset });
      return part;
    });
    const page = { url, title: textOf(first, 'title') };
    if (whole.kind === 'failed') return { ...page, content: '', isIncomplete: false, error: whole.reason };
    const isIncomplete = textOf(first, 'note') !== '' || textOf(first, 'summarized_by') !== '';
    return { ...page, content: whole.text, isIncomplete, error: null };
  }

  return {
    async webSearch(query, { limit } = {}) {
      const result = await call('web_search', limit === undefined ? { query } : { query, limit });
      const data = isJsonObject(result['data']) ? result['data'] : {};
      return objectsOf(data['web']).map((hit) => ({
        url: textOf(hit, 'url'),
        title: textOf(hit, 'title'),
        description: textOf(hit, 'description'),
      }));
    },
    async webExtract(urls) {
      const results = await extract({ urls: [...urls] });
      // In the order of the addresses; a result shows only the beginning of a very long one.
      return mapConcurrent(results, results.length, (first, index) =>
        readPage(urls[index] ?? textOf(first, 'url'), first),
      );
    },
    async browserNavigate(url) {
      const result = await call('browser_navigate', { url });
      return { url: textOf(result, 'url'), title: textOf(result, 'title') };
    },
    async browserSnapshot() {
      const whole = await readWhole(await call('browser_snapshot', { full: true }), 'snapshot', (offset) =>
        call('browser_snapshot', { full: true, offset }),
      );
      if (whole.kind === 'read') return whole.text;
      throw taskFailed('browser_snapshot', whole.reason);
    },
  };
}

/** A dispatcher with limits may cut results. */
function isWhole(result: JsonObject | undefined): result is JsonObject {
  return result !== undefined && result['truncated_chars'] === undefined;
}

function toolFailed(name: string, { content, errorKind }: ToolCallOutcome): TaskError {
  const result = objectOf(content);
  const reason = (result === undefined ? '' : textOf(result, 'error')) || truncateText(content, 500);
  return errorKind === 'unknown_tool'
    ? taskFailed(name, reason, 'Configure it for the run: see `talaria tools doctor`.')
    : taskFailed(name, reason);
}

function taskFailed(
  name: string,
  reason: string,
  hint = 'Use callTool to look at the result of a tool that may fail.',
): TaskError {
  return new TaskError(`The tool ${name} failed: ${reason}`, { code: 'task.tool-failed', hint });
}

function objectOf(content: string): JsonObject | undefined {
  const parsed = parseJson(content);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textOf(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}
