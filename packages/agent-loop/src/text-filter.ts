import type { StreamEvent, ToolCallParser, ToolSchema } from '@talaria/tool-call-parsers';

/** Lets through, of a text that comes in pieces, what is not part of a tool call. */
export interface TextFilter {
  /** What can be shown of the text so far, and was not before. */
  feed(piece: string): string;
  /** The rest, once the text is over. */
  finish(): string;
}

/** Creates a filter for one answer; without a parser, or tools to call, everything passes. */
export function createTextFilter(parser: ToolCallParser | null, tools: readonly ToolSchema[]): TextFilter {
  if (parser === null || tools.length === 0) return { feed: (piece) => piece, finish: () => '' };
  const stream = parser.stream({ tools });
  return { feed: (piece) => contentOf(stream.feed(piece)), finish: () => contentOf(stream.finish()) };
}

function contentOf(events: readonly StreamEvent[]): string {
  return events.map((event) => (event.type === 'content' ? event.text : '')).join('');
}
