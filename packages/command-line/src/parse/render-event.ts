import { assertNever } from '@talaria/core';
import type { AnswerEvent } from '@talaria/tool-call-parsers/reasoning';
import { visibleJson, visibleJsonText, visibleLine } from './visible-text.ts';

/** An event for people, on one line: the piece of the text that it came with, what it is, and what it says. */
export function renderEvent(event: AnswerEvent, piece: number | 'end'): string {
  return `${String(piece).padStart(6)}  ${event.type.padEnd(14)}  ${describe(event)}\n`;
}

function describe(event: AnswerEvent): string {
  switch (event.type) {
    case 'content':
    case 'reasoning':
      return visibleJson(event.text);
    case 'call-start':
      return `#${event.index} ${visibleLine(event.name)} ${visibleLine(event.id)}`;
    case 'call-arguments':
      return `#${event.index} ${visibleJson(event.delta)}`;
    case 'call-end':
      // Between the tokens of JSON a line feed is as good as a space, and inside strings none stands.
      return `#${event.index} ${visibleJsonText(event.arguments).replace(/[\n\r\t]/gu, ' ')}`;
    case 'call-abort':
      return `#${event.index} ${visibleJson(event.text)}`;
    case 'error':
      return `${event.error.kind} at ${event.error.start} to ${event.error.end}: ${visibleLine(event.error.message)}`;
    default:
      return assertNever(event);
  }
}
