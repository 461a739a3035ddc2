import type { ParseError, StreamEvent, StreamParser } from '../tool-call-parser.ts';

/** A stream of tool calls that is fed parts of a text, and tells errors by their places in the whole text. */
export interface PlacedStream {
  /** Feeds text that stands at `start` of the whole text. */
  feed(text: string, start: number): readonly StreamEvent[];
  finish(reason?: 'stop' | 'length'): readonly StreamEvent[];
}

/** Feeds a stream that nobody else feeds. */
export function createPlacedStream(stream: StreamParser): PlacedStream {
  /** Where a part begins, in what was fed and in the whole text. Parts without a gap between them are one. */
  const parts: { readonly from: number; readonly start: number }[] = [];
  let length = 0;
  /** Where a part without a gap before it would begin. */
  let next = -1;

  function place(offset: number): number {
    let low = 0;
    let high = parts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((parts[middle]?.from ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const part = parts[low];
    return part === undefined ? offset : part.start + offset - part.from;
  }

  function placeError(error: ParseError): ParseError {
    const start = place(error.start);
    // The end of a stretch lies behind its last character, not before the first one of the next part.
    const end = error.end > error.start ? place(error.end - 1) + 1 : start;
    // The message names the place at which the error was seen, which is its end.
    const message = error.message.replace(`at offset ${error.end}`, `at offset ${end}`);
    return { kind: error.kind, start, end, message };
  }

  function placeEvents(events: readonly StreamEvent[]): readonly StreamEvent[] {
    return events.map((event) => (event.type === 'error' ? { type: 'error', error: placeError(event.error) } : event));
  }

  return {
    feed(text, start) {
      if (start !== next) parts.push({ from: length, start });
      length += text.length;
      next = start + text.length;
      return placeEvents(stream.feed(text));
    },
    finish: (reason) => placeEvents(stream.finish(reason)),
  };
}
