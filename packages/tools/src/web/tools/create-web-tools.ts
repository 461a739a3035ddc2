import { ConfigError } from '@talaria/core';
import type { ToolModel } from '../../models/ports.ts';
import type { Tool } from '../../tool.ts';
import type { WebProvider } from '../providers/web-provider.ts';
import { createReplayProvider } from '../replay/replay-provider.ts';
import type { ReplayStore } from '../replay/replay-store.ts';
import type { UrlPolicy } from '../url-policy/index.ts';
import { createWebExtractTool } from './web-extract-tool.ts';
import { createWebSearchTool } from './web-search-tool.ts';
import type { WebToolSetup } from './web-tool-setup.ts';

/** What {@link createWebTools} takes. */
export interface WebToolsOptions {
  /** What searches and reads. Stays its owner's to dispose of. @default none: the tools are not offered */
  readonly provider?: WebProvider | undefined;
  /** Which addresses may be read and shown, whatever the provider. */
  readonly policy: UrlPolicy;
  /** Records or replays answers. Stays its owner's to dispose of. @default every answer is asked for */
  readonly replay?: ReplayStore | undefined;
  /** Shortens pages of more than 5000 characters, as upstream does. @default pages are cut, and read on by `offset` */
  readonly summarizer?: ToolModel | undefined;
  /** Where the network is off for a rollout the tools are not offered, whatever the provider. @default true */
  readonly isNetworkAllowed?: boolean | undefined;
  /** Of a search, in milliseconds. @default 15_000 */
  readonly searchTimeoutMs?: number | undefined;
  /** Of one page, in milliseconds. @default 30_000 */
  readonly extractTimeoutMs?: number | undefined;
  /** Of one page's summary, in milliseconds. @default 60_000 */
  readonly summaryTimeoutMs?: number | undefined;
  /**
   * Characters of a page that one call gives, in UTF-16 units. A dispatcher without a limit of output (`maxOutputChars`), as
   * reward functions have, gets pages whole, and never from the summarizer. @default 20_000
   */
  readonly maxPageChars?: number | undefined;
  /** Pages of one call that are read at the same time. @default 5 */
  readonly maxConcurrency?: number | undefined;
}

/**
 * Creates `web_search` and `web_extract`. Both are always returned; what the provider cannot do is not offered, with the
 * reason.
 *
 * @throws ConfigError `config.invalid` for a limit that is not positive
 */
export function createWebTools(options: WebToolsOptions): readonly Tool[] {
  const { provider, replay } = options;
  const setup: WebToolSetup = {
    provider: provider !== undefined && replay !== undefined ? createReplayProvider(provider, replay) : provider,
    policy: options.policy,
    summarizer: options.summarizer,
    isNetworkAllowed: options.isNetworkAllowed ?? true,
    searchTimeoutMs: positive('searchTimeoutMs', options.searchTimeoutMs ?? 15_000),
    extractTimeoutMs: positive('extractTimeoutMs', options.extractTimeoutMs ?? 30_000),
    summaryTimeoutMs: positive('summaryTimeoutMs', options.summaryTimeoutMs ?? 60_000),
    maxPageChars: positive('maxPageChars', options.maxPageChars ?? 20_000),
    maxConcurrency: positive('maxConcurrency', options.maxConcurrency ?? 5),
  };
  return [createWebSearchTool(setup), createWebExtractTool(setup)];
}

function positive(name: string, value: number): number {
  if (value > 0) return value;
  throw new ConfigError(`${name} is ${value}`, { code: 'config.invalid', hint: 'Give a number greater than 0.' });
}
