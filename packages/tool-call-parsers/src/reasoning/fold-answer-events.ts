import { foldEvents } from '../stream/fold-events.ts';
import type { StreamEvent } from '../tool-call-parser.ts';
import type { AnswerEvent, AnswerResult } from './answer-parser.ts';

/** The result that the events of an answer amount to, in either commit mode: the same as parsing the whole text at once. */
export function foldAnswerEvents(events: Iterable<AnswerEvent>): AnswerResult {
  let reasoning = '';
  const others: StreamEvent[] = [];
  for (const event of events) {
    if (event.type === 'reasoning') reasoning += event.text;
    else others.push(event);
  }
  return { reasoning: reasoning || null, ...foldEvents(others) };
}
