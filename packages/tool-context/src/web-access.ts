import { isJsonObject, type JsonObject, type JsonValue, parseJson, TaskError } from '@talaria/core';
import type { ToolCallOutcome } from '@talaria/tools';

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
  /** Markdown; empty where the page could not be read. */
  readonly content: string;
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
    const { content, isError, errorKind } = await callTool(name, args);
    const parsed = parseJson(content);
    if (!isError && parsed.ok && isJsonObject(parsed.value)) return parsed.value;
    const reason = parsed.ok && isJsonObject(parsed.value) ? textOf(parsed.value, 'error') : content;
    throw new TaskError(`The tool ${name} failed: ${reason}`, {
      code: 'task.tool-failed',
      hint:
        errorKind === 'unknown_tool'
          ? 'Configure it for the run: see `talaria tools doctor`.'
          : 'Use callTool to look at the result of a tool that may fail.',
    });
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
      const result = await call('web_extract', { urls: [...urls] });
      return objectsOf(result['results']).map((page) => ({
        url: textOf(page, 'url'),
        title: textOf(page, 'title'),
        content: textOf(page, 'content'),
        error: textOf(page, 'error') || null,
      }));
    },
    async browserNavigate(url) {
      const result = await call('browser_navigate', { url });
      return { url: textOf(result, 'url'), title: textOf(result, 'title') };
    },
    async browserSnapshot() {
      return textOf(await call('browser_snapshot', { full: true }), 'snapshot');
    },
  };
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textOf(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}
