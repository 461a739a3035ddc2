import type { ParsedToolCall, ParseError, ParseResult, StreamEvent } from '../tool-call-parser.ts';

/** The result that a stream's events amount to, in either commit mode: the same as parsing the whole text at once. */
export function foldEvents(events: Iterable<StreamEvent>): ParseResult {
  let content = '';
  const toolCalls: ParsedToolCall[] = [];
  const errors: ParseError[] = [];
  let started: { readonly id: string; readonly name: string } | undefined;
  for (const event of events) {
    switch (event.type) {
      case 'content':
        content += event.text;
        break;
      case 'call-start':
        started = event;
        break;
      case 'call-end':
        if (started !== undefined) {
          toolCalls.push({ id: started.id, name: started.name, arguments: event.arguments });
        }
        break;
      case 'error':
        errors.push(event.error);
        break;
      // Deltas are repeated by the end of the call; a withdrawn call's text comes as content.
      case 'call-arguments':
      case 'call-abort':
        break;
    }
  }
  return { content: content === '' && toolCalls.length > 0 ? null : content, toolCalls, errors };
}
