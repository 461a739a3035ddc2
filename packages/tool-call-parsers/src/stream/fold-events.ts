import type { ParsedToolCall, ParseError, ParseResult, StreamEvent } from '../tool-call-parser.ts';

/** The result that a stream's events amount to, in either commit mode: the same as parsing the whole text at once. */
export function foldEvents(events: Iterable<StreamEvent>): ParseResult {
  let content = '';
  const toolCalls: ParsedToolCall[] = [];
  const errors: ParseError[] = [];
  let started = { id: '', name: '' };
  for (const event of events) {
    // Deltas are repeated by the end of the call; a withdrawn call's text comes as content.
    if (event.type === 'content') content += event.text;
    else if (event.type === 'call-start') started = event;
    else if (event.type === 'error') errors.push(event.error);
    else if (event.type === 'call-end') {
      toolCalls.push({ id: started.id, name: started.name, arguments: event.arguments });
    }
  }
  return { content: content === '' && toolCalls.length > 0 ? null : content, toolCalls, errors };
}
