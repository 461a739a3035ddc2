import { createFinishGuard } from './finish-guard.ts';
import type {
  ReasoningEvent,
  ReasoningOptions,
  ReasoningParser,
  ReasoningSplit,
  ReasoningStream,
} from './reasoning-parser.ts';

/** Reads one answer: the next delta of it, and whether it is the last. */
export type ReasoningReader = (delta: string, isLast: boolean) => readonly ReasoningEvent[];

/** All that sets one family apart from the others. */
export interface ReasoningFormat extends Omit<ReasoningParser, 'split' | 'stream'> {
  readonly createReader: (options: ReasoningOptions) => ReasoningReader;
}

/** Makes the parser of a family: splitting a whole text is the stream fed once. */
export function assembleReasoningParser({ createReader, ...format }: ReasoningFormat): ReasoningParser {
  return {
    ...format,
    split: (text, options = {}) => foldReasoningEvents(createReader(options)(text, true)),
    stream: (options = {}) => createReasoningStream(createReader(options)),
  };
}

function foldReasoningEvents(events: readonly ReasoningEvent[]): ReasoningSplit {
  let reasoning = '';
  let content = '';
  for (const event of events) {
    if (event.type === 'reasoning') reasoning += event.text;
    else content += event.text;
  }
  return { reasoning: reasoning || null, content };
}

function createReasoningStream(read: ReasoningReader): ReasoningStream {
  const guard = createFinishGuard();
  const step: ReasoningReader = (delta, isLast) => {
    guard(isLast);
    return read(delta, isLast);
  };
  return { feed: (delta) => step(delta, false), finish: () => step('', true) };
}
