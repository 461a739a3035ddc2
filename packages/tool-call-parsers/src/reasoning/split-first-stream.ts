import type { ToolCallParser } from '../tool-call-parser.ts';
import type { AnswerEvent, AnswerStream, AnswerStreamOptions } from './answer-parser.ts';
import { createPlacedStream } from './placed-stream.ts';
import type { ReasoningEvent, ReasoningParser } from './reasoning-parser.ts';

/** Splits the reasoning off, and reads calls in what remains and nowhere else. */
export function createSplitFirstStream(
  reasoning: ReasoningParser,
  toolCalls: ToolCallParser,
  options: AnswerStreamOptions,
): AnswerStream {
  const splitter = reasoning.stream(options);
  const calls = createPlacedStream(toolCalls.stream(options));

  /** Reasoning that was read in the middle of a call, the events of which stay together. */
  let held: AnswerEvent[] = [];
  let isInCall = false;

  function read(parts: readonly ReasoningEvent[]): AnswerEvent[] {
    return parts.flatMap((part) => {
      if (part.type === 'content') return release(calls.feed(part.text, part.start));
      held.push(part);
      return release([]);
    });
  }

  function release(events: readonly AnswerEvent[]): readonly AnswerEvent[] {
    const last = events.at(-1)?.type;
    if (last !== undefined) isInCall = last === 'call-start' || last === 'call-arguments';
    if (isInCall) return events;
    const released = held;
    held = [];
    return [...events, ...released];
  }

  return {
    feed: (delta) => read(splitter.feed(delta)),
    finish: (reason) => [...read(splitter.finish()), ...release(calls.finish(reason))],
  };
}
