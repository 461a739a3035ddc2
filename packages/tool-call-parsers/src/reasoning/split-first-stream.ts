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

  function read(parts: readonly ReasoningEvent[]): AnswerEvent[] {
    return parts.flatMap((part): readonly AnswerEvent[] =>
      part.type === 'reasoning' ? [part] : calls.feed(part.text, part.start),
    );
  }

  return {
    feed: (delta) => read(splitter.feed(delta)),
    finish: (reason) => [...read(splitter.finish()), ...calls.finish(reason)],
  };
}
