import { ParserError } from '../parser-errors.ts';
import { createTextWindow } from '../text/text-window.ts';
import type { TokenTable } from '../text/token-table.ts';
import type { ParseErrorKind, StreamEvent, StreamOptions, StreamParser } from '../tool-call-parser.ts';
import type { CallFormat } from './call-format.ts';
import type { CallReader, CompletedCall, Fault } from './call-reader.ts';
import { createContentWriter } from './content-writer.ts';
import { createEventWriter } from './event-writer.ts';
import { createTurnEndFilter } from './turn-end-filter.ts';

/** How many characters of a call may wait to be read together. */
const batchLength = 64;

/** Characters one of which ends every call. */
const callEnd = /[>\])}]/;

/**
 * Reads one answer. Outside calls it looks for start markers; behind one the format's reader decides. After a failed
 * attempt the text behind the marker is read again as text, so every character is visited a small constant number of
 * times: a marker inside a failed attempt can only have stood in one of its strings.
 */
export function createStream(format: CallFormat, markers: TokenTable, options: StreamOptions): StreamParser {
  const filter = createTurnEndFilter();
  const window = createTextWindow();
  const content = createContentWriter();
  const events = createEventWriter(content, options);
  let { finishReason } = options;
  /** Reads what began at a start marker and may become a call. */
  let reader: CallReader | undefined;
  /** Position of that marker. */
  let start = 0;
  /** Small deltas of a call that wait. */
  let batch = '';
  let isGivenUp = false;
  let isFinished = false;

  function read(delta: string, isLast: boolean): readonly StreamEvent[] {
    if (isFinished) {
      const hint = 'Open a stream for each answer.';
      throw new ParserError('The stream was finished already', { code: 'parser.finished', hint });
    }
    isFinished = isLast;
    window.append(delta);
    try {
      while (reader === undefined ? readText() : readCall(reader, isLast));
    } catch (error) {
      giveUp(error);
    }
    if (isLast) {
      writeText(window.source.length);
      content.finish();
    }
    return events.take();
  }

  /** Reads text up to a start marker. Whether there was one. */
  function readText(): boolean {
    const { source } = window;
    let at = isGivenUp ? source.length : markers.find(source, window.index);
    let marker = markers.match(source, at);
    while (marker === undefined) {
      at = markers.find(source, at + 1);
      marker = markers.match(source, at);
    }
    writeText(at);
    if (marker === '') return false;
    start = window.position;
    window.keepFrom(start);
    window.index += marker.length;
    reader = format.createReader(window.position, marker);
    return true;
  }

  function writeText(to: number): void {
    content.write(window.source, window.index, to);
    window.index = to;
  }

  /** Reads an attempt up to its outcome. Whether there was one. */
  function readCall(current: CallReader, isLast: boolean): boolean {
    const outcome = current.read(window);
    if (outcome !== 'more') judge(outcome);
    else if (isLast) judge(current.finish(window));
    else events.progress(current.progress, window, start);
    return reader === undefined;
  }

  function judge(outcome: CompletedCall | Fault): void {
    if (outcome.kind === 'call') {
      events.completeCall(outcome);
      leave(outcome.end);
      return;
    }
    const { error, at, message, found, resumeAt } = outcome;
    const isCut = error === 'truncated' && finishReason === 'length';
    const ending = isCut ? ' (length limit)' : found && `, found ${JSON.stringify(found)}`;
    report(error, at, `No tool call: ${message} at offset ${at}${ending ?? ''}`);
    // The attempt led to no call: its text, up to where the search goes on, is content.
    const text = window.slice(start, resumeAt);
    content.write(text, 0, text.length);
    leave(resumeAt);
  }

  /** A fault of this program or of the caller's id factory must not lose text: what is left becomes content. */
  function giveUp(error: unknown): void {
    if (reader === undefined) start = window.position;
    report('internal', start, `Reading stopped: ${String(error)}`);
    isGivenUp = true;
    leave(start);
  }

  function report(kind: ParseErrorKind, end: number, message: string): void {
    events.failCall({ kind, start, end, message }, window.slice(start, end));
  }

  /** Goes on with text at `position`. */
  function leave(position: number): void {
    window.rewind(position);
    reader = undefined;
  }

  return {
    feed(delta) {
      batch += delta;
      // Nothing is told of a call before its end, so small deltas can be read together, which is several times faster.
      const canWait = reader && options.commit !== 'eager' && batch.length < batchLength && !callEnd.test(delta);
      if (canWait) return [];
      const text = batch;
      batch = '';
      return read(filter.push(text), false);
    },
    finish(reason) {
      finishReason = reason ?? finishReason;
      return read(filter.push(batch) + filter.finish(), true);
    },
  };
}
