import { isAbortOf, openDeadline, truncateText } from '@talaria/core';
import { toolFromOptions } from '../../define-tool.ts';
import type { Tool, ToolErrorKind, ToolResult } from '../../tool.ts';
import { markedResult } from '../../tool-result.ts';
import type { SearchHit } from '../providers/web-provider.ts';
import { showTitle } from './shown-text.ts';
import { describeWebFailure } from './web-failure.ts';
import { availabilityFor, type WebToolSetup } from './web-tool-setup.ts';

interface SearchArguments {
  readonly query: string;
  readonly limit?: number;
}

/** Longest query, in UTF-16 units: more than services take. */
const maxQueryChars = 2_000;

/** What is shown of the description of one result, in UTF-16 units. */
const maxDescriptionChars = 1_000;

/** Results of a provider that are looked at, should it give more than it was asked for. */
const maxCheckedHits = 50;

/** Searches the web. */
export function createWebSearchTool(setup: WebToolSetup): Tool {
  const { provider, policy, searchTimeoutMs } = setup;
  return toolFromOptions<SearchArguments>({
    name: 'web_search',
    toolset: 'web',
    isParallelSafe: true,
    sideEffect: 'external',
    // Only for a provider that does not end when it is told to.
    timeoutMs: searchTimeoutMs + 5_000,
    description: (availableTools) =>
      `Search the web. Gives title, address and a short description of each result.${
        availableTools.has('web_extract') ? ' Read the pages that look right with web_extract.' : ''
      }`,
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What to look for, as words or as a question' },
        limit: { type: 'integer', minimum: 1, maximum: 10, default: 5, description: 'Most results' },
      },
      required: ['query'],
    },
    checkAvailability: () => availabilityFor(setup, 'search'),
    async execute({ query, limit = 5 }, { clock, logger, signal }) {
      const words = query.trim();
      if (words === '') return failed('invalid_args', 'The query is empty. Say what to look for.');
      if (words.length > maxQueryChars) {
        return failed('invalid_args', `The query has ${words.length} characters; use at most ${maxQueryChars}.`);
      }
      if (provider?.search === undefined) return failed('not_available', 'The web cannot be searched here.');
      using deadline = openDeadline(clock, searchTimeoutMs, signal);
      try {
        policy.checkText(words);
        const hits = await provider.search(words, { limit, signal: deadline.signal });
        const allowed = hits.slice(0, maxCheckedHits).filter(({ url }) => isAllowed(url));
        return { success: true, data: { web: allowed.slice(0, limit).map(showHit) } };
      } catch (error) {
        if (isAbortOf(error, signal)) throw error;
        const { kind, message, details } = describeWebFailure(error, logger);
        return failed(kind, message, details);
      }
    },
  });

  /** Results that the policy closes are not shown: the model would only try to read them. */
  function isAllowed(url: string): boolean {
    try {
      policy.checkUrl(url);
      return true;
    } catch {
      return false;
    }
  }
}

/** The address is whole, since it is there to be read: the policy lets none pass that is absurdly long. */
function showHit({ url, title, description }: SearchHit, index: number) {
  const shownDescription = truncateText(description.trim(), maxDescriptionChars);
  return { url, title: showTitle(title), description: shownDescription, position: index + 1 };
}

function failed(kind: ToolErrorKind, message: string, details = {}): ToolResult {
  return markedResult({ success: false, error: message, error_kind: kind, ...details }, kind);
}
