import { foldEvents } from '../stream/fold-events.ts';
import type { CommitMode, ParseOptions, ParseResult, StreamEvent, ToolCallParser } from '../tool-call-parser.ts';
import { demand, show } from './contract-case.ts';

/** Feeds the pieces to a new stream and gives all its events. The events of each step are checked for their order. */
export function streamPieces(
  parser: ToolCallParser,
  pieces: readonly string[],
  commit: CommitMode,
  options: ParseOptions = {},
): readonly StreamEvent[] {
  const stream = parser.stream({ ...options, commit });
  const events: StreamEvent[] = [];
  for (const piece of pieces) events.push(...stream.feed(piece));
  events.push(...stream.finish());
  demandOrder(events, commit, pieces);
  return events;
}

/** The result of a stream, and that its ids count up, so that results can be compared. */
export function streamResult(
  parser: ToolCallParser,
  pieces: readonly string[],
  commit: CommitMode,
  options: ParseOptions = {},
): ParseResult {
  return foldEvents(streamPieces(parser, pieces, commit, { ...options, idFactory: countingIds() }));
}

/** Ids that count up. */
export function countingIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `id${count}`;
  };
}

/** S6 and S7: the events of a call are contiguous, indices count up, deltas add up to the arguments. */
function demandOrder(events: readonly StreamEvent[], commit: CommitMode, pieces: readonly string[]): void {
  let open: { readonly index: number; deltas: string } | undefined;
  let nextIndex = 0;
  for (const event of events) {
    const where = (): string => `${show(event)} is out of order in ${commit} mode, fed ${show(pieces)}`;
    if (event.type === 'content' || event.type === 'error') {
      demand(open === undefined && (event.type === 'error' || event.text !== ''), where);
    } else if (event.type === 'call-start') {
      demand(open === undefined && event.index === nextIndex && event.name !== '' && event.id !== '', where);
      open = { index: event.index, deltas: '' };
    } else {
      demand(open !== undefined && event.index === open.index, where);
      if (event.type === 'call-arguments') open.deltas += event.delta;
      if (event.type === 'call-abort') demand(commit === 'eager', where);
      if (event.type === 'call-end') demand(open.deltas === event.arguments, where);
      if (event.type === 'call-end') nextIndex += 1;
      if (event.type !== 'call-arguments') open = undefined;
    }
  }
  demand(open === undefined, () => `A call was left open in ${commit} mode, fed ${show(pieces)}`);
}
