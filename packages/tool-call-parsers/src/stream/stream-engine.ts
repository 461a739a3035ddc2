import { ParserError } from '../parser-errors.ts';
import { createTextWindow } from '../text/text-window.ts';
import type { ParseErrorKind, StreamEvent, StreamOptions, StreamParser } from '../tool-call-parser.ts';
import type { Answer, CallProgress } from './answer.ts';
import type { CallFormat } from './call-format.ts';
import { createContentWriter } from './content-writer.ts';
import { createEventWriter } from './event-writer.ts';
import { createTurnEndFilter } from './turn-end-filter.ts';

/** How many characters of a call may wait to be read together. */
const batchLength = 64;

/** Characters one of which ends every call. */
const callEnd = /[>\])}]/;

/** A stream that can also be told that its next piece is the last one. */
export interface StreamEngine extends StreamParser {
  /** Reads a whole answer at once. */
  readAll(text: string): readonly StreamEvent[];
}

/** Reads one answer: hands the text to the format's grammar, and makes events of what that says. */
export function createStream(format: CallFormat, options: StreamOptions): StreamEngine {
  const filter = format.keepsTurnEnd ? undefined : createTurnEndFilter();
  const isEager = options.commit === 'eager';
  const window = createTextWindow();
  const content = createContentWriter();
  const events = createEventWriter(content, options, format.createId);
  let { finishReason } = options;
  let givenTo = 0;
  /** Where the call that is being read begins, or -1. */
  let openFrom = -1;
  let progress: CallProgress | undefined;
  /** Small deltas of a call that wait. */
  let batch = '';
  let isGivenUp = false;
  let isFinished = false;

  const answer: Answer = {
    window,
    options,
    get givenTo() {
      return givenTo;
    },
    get isAfterCall() {
      return content.isAfterCall;
    },
    get callCount() {
      return events.callCount;
    },
    text(to) {
      if (givenTo >= window.base) content.write(window.source, givenTo - window.base, to - window.base);
      else {
        const text = window.slice(givenTo, to);
        content.write(text, 0, text.length);
      }
      answer.skip(to);
    },
    skip(to) {
      givenTo = to;
      window.keepFrom(to);
    },
    open(start, shown) {
      openFrom = start;
      progress = shown;
    },
    call(call) {
      events.completeCall(call);
      close();
      answer.skip(window.position);
    },
    fail({ kind, at, message, found }, resumeAt) {
      const isCut = kind === 'truncated' && finishReason === 'length';
      const ending = isCut ? ' (length limit)' : found && `, found ${JSON.stringify(found)}`;
      report(kind, at, `No tool call: ${message} at offset ${at}${ending ?? ''}`);
      answer.text(resumeAt);
      window.rewind(resumeAt);
    },
  };
  const reading = format.read(answer);

  function report(kind: ParseErrorKind, end: number, message: string): void {
    const start = openFrom < 0 ? window.position : openFrom;
    events.failCall({ kind, start, end, message }, isEager ? window.slice(start, end) : '');
    close();
  }

  function close(): void {
    openFrom = -1;
    progress = undefined;
  }

  function read(delta: string, isLast: boolean): readonly StreamEvent[] {
    if (isFinished) {
      const hint = 'Open a stream for each answer.';
      throw new ParserError('The stream was finished already', { code: 'parser.finished', hint });
    }
    isFinished = isLast;
    window.append(delta);
    window.isOver = isLast;
    try {
      if (!isGivenUp) reading.next();
      if (isEager && progress) events.progress(progress, window, openFrom);
    } catch (error) {
      // A fault of this program or of the caller's id factory must not lose text: what is left becomes content.
      isGivenUp = true;
      report('internal', window.position, `Reading stopped: ${String(error)}`);
    }
    if (isGivenUp || isLast) {
      answer.text(window.end);
      window.index = window.source.length;
    }
    if (isLast) content.finish();
    return events.take();
  }

  return {
    readAll: (text) => read(filter ? filter.push(text) + filter.finish() : text, true),
    feed(delta) {
      batch += delta;
      // Nothing is told of a call before its end, so small deltas can be read together, which is several times faster.
      if (openFrom >= 0 && !isEager && batch.length < batchLength && !callEnd.test(delta)) return [];
      const text = batch;
      batch = '';
      return read(filter ? filter.push(text) : text, false);
    },
    finish(reason) {
      finishReason = reason ?? finishReason;
      return read(filter ? filter.push(batch) + filter.finish() : batch, true);
    },
  };
}
