import { ParserError } from '../parser-errors.ts';
import { createTextWindow } from '../text/text-window.ts';
import type { ParseErrorKind, StreamEvent, StreamOptions, StreamParser } from '../tool-call-parser.ts';
import type { Answer, CallProgress } from './answer.ts';
import type { CallFormat } from './call-format.ts';
import { createEventWriter } from './event-writer.ts';
import { createTurnEndFilter } from './turn-end-filter.ts';

/** How many characters of a call may wait to be read together. */
const batchLength = 256;

/** Characters one of which ends every call, where the format does not say. */
const anyCallEnd = /[>\])}]/;

/** What goes before the reason of a fault. */
const leads: Readonly<Record<string, string>> = {
  'bad-json': 'not JSON, expected ',
  'bad-structure': 'expected ',
  truncated: 'the text ended, expected ',
};

/** A stream that can also read a whole answer at once. */
export interface StreamEngine extends StreamParser {
  readAll(text: string): readonly StreamEvent[];
}

/** Reads one answer: hands the text to the format's grammar, and makes events of what that says. */
export function createStream(format: CallFormat, options: StreamOptions = {}): StreamEngine {
  const filter = createTurnEndFilter(format.keepsTurnEnd);
  const callEnd = format.callEnd ?? anyCallEnd;
  const isEager = options.commit === 'eager';
  const window = createTextWindow();
  const events = createEventWriter(options, format.createId);
  let { finishReason } = options;
  /** Where the call that is being read begins, or -1. */
  let openFrom = -1;
  let progress: CallProgress | undefined;
  /** Small deltas of a call that wait. */
  let batch = '';
  let isGivenUp = false;
  let isFinished = false;

  function report(kind: ParseErrorKind, reason: string): void {
    const isCut = kind === 'truncated';
    const end = isCut ? window.end : window.position;
    const start = openFrom < 0 ? end : openFrom;
    // The first code point, not the first half of one.
    const [found] = window.source.slice(window.index, window.index + 2);
    let ending = '';
    if (isCut && finishReason === 'length') ending = ' (length limit)';
    else if (!isCut && found && /json|struct/.test(kind)) ending = `, found ${JSON.stringify(found)}`;
    const message = `No tool call: ${leads[kind] ?? ''}${reason} at offset ${end}${ending}`;
    events.fail({ kind, start, end, message }, isEager ? window.slice(start, end) : '');
    answer.open(-1);
  }

  const answer: Answer = {
    window,
    options,
    get isAfterCall() {
      return events.isAfterCall;
    },
    get callCount() {
      return events.callCount;
    },
    text(to) {
      events.text(window.slice(window.keptFrom, to));
      answer.skip(to);
    },
    skip(to) {
      window.keptFrom = to;
    },
    join: events.join,
    open(start, shown) {
      openFrom = start;
      progress = shown;
    },
    call(call) {
      events.call(call);
      answer.open(-1);
      answer.skip(window.position);
    },
    fail(kind, reason, resumeAt) {
      report(kind, reason);
      answer.text(resumeAt);
      window.rewind(resumeAt);
    },
  };
  const reading = format.read(answer);

  function read(delta: string, isLast: boolean): readonly StreamEvent[] {
    if (isFinished) {
      throw new ParserError('The stream was finished', { code: 'parser.finished', hint: 'Open one for each answer.' });
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
      report('internal', `reading stopped, ${String(error)}`);
    }
    if (isGivenUp || isLast) {
      answer.text(window.end);
      window.index = window.source.length;
    }
    if (isLast) events.finish();
    return events.take();
  }

  return {
    readAll: (text) => read(filter.push(text) + filter.finish(), true),
    feed(delta) {
      batch += delta;
      // Nothing is told of a call before its end, so small deltas can be read together, which is several times faster.
      if (openFrom >= 0 && !isEager && batch.length < batchLength && !callEnd.test(delta)) return [];
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
