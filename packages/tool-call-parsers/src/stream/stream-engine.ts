import { ParserError } from '../parser-errors.ts';
import { createTextWindow } from '../text/text-window.ts';
import type { StreamEvent, StreamOptions, StreamParser } from '../tool-call-parser.ts';
import { createAnswerWriter } from './answer-writer.ts';
import type { CallFormat } from './call-format.ts';
import { createTurnEndFilter } from './turn-end-filter.ts';

/** How many characters of a call may wait to be read together. */
const batchLength = 256;

/** Characters one of which ends every call, where the format does not say. */
const anyCallEnd = /[>\])}]/;

/** A stream that can also read a whole answer at once. */
export interface StreamEngine extends StreamParser {
  readAll(text: string): readonly StreamEvent[];
}

/** Reads one answer: hands the text to the format's grammar, and gives the events of what that says. */
export function createStream(format: CallFormat, options: StreamOptions = {}): StreamEngine {
  const filter = createTurnEndFilter(format.keepsTurnEnd);
  const { callEnd = anyCallEnd } = format;
  const window = createTextWindow();
  const answer = createAnswerWriter(window, options, format.shapeId);
  const reading = format.read(answer);
  /** Small deltas of a call that wait. */
  let batch = '';
  let isGivenUp = false;
  let isFinished = false;

  function read(delta: string, isLast: boolean): readonly StreamEvent[] {
    if (isFinished) {
      throw new ParserError('The stream was finished', { code: 'parser.finished', hint: 'Open one for each answer.' });
    }
    isFinished = isLast;
    window.append(delta);
    window.isOver = isLast;
    try {
      if (!isGivenUp) reading.next();
      answer.showProgress();
    } catch (error) {
      // A fault of this program or of the caller's id factory must not lose text: what is left becomes content.
      isGivenUp = true;
      answer.fail('internal', `reading stopped, ${String(error)}`, window.end);
    }
    if (isGivenUp || isLast) {
      answer.text(window.end);
      window.index = window.source.length;
    }
    if (isLast) answer.finish();
    return answer.take();
  }

  return {
    readAll: (text) => read(filter.push(text) + filter.finish(), true),
    feed(delta) {
      batch += delta;
      // Nothing is told of a call before its end, so small deltas can be read together, which is several times faster.
      const isSmall = batch.length < batchLength && !callEnd.test(delta);
      if (isSmall && answer.isOpen && options.commit !== 'eager') return [];
      const text = batch;
      batch = '';
      return read(filter.push(text), false);
    },
    finish(reason) {
      answer.finishReason = reason ?? answer.finishReason;
      return read(filter.push(batch) + filter.finish(), true);
    },
  };
}
