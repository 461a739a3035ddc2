import { optionError } from '../option-error.ts';
import { ParserError } from '../parser-errors.ts';
import type { Reading } from '../text/reading.ts';
import { createTextWindow } from '../text/text-window.ts';
import type { StreamEvent, StreamOptions, StreamParser } from '../tool-call-parser.ts';
import { createAnswerWriter } from './answer-writer.ts';
import type { CallFormat } from './call-format.ts';
import { createTurnEndFilter } from './turn-end-filter.ts';

/** How many characters of a call may wait to be read together. */
const batchLength = 256;

/** Characters one of which ends every call, where the format does not say. */
const anyCallEnd = /[>\])}]/;

/**
 * Reads one answer: hands the text to the format's grammar, and gives the events of what that says. Text that is there
 * already is read with the next delta, or at the end.
 */
export function createStream(format: CallFormat, options: StreamOptions = {}, text = ''): StreamParser {
  const filter = createTurnEndFilter(format.keepsTurnEnd);
  const { callEnd = anyCallEnd } = format;
  const { commit = 'call' } = options;
  const isEager = commit === 'eager';
  if (!isEager && commit !== 'call') throw optionError('commit', commit, '"call" or "eager"');
  const window = createTextWindow();
  const answer = createAnswerWriter(window, options, format.shapeId);
  let reading: Reading<void> | undefined = format.read(answer);
  /** Small deltas of a call that wait. */
  let batch = '';
  let isFinished = false;

  function take(delta: string): void {
    if (typeof delta !== 'string') throw optionError('delta', delta, 'a string', 'parser.text');
    batch += delta;
  }

  function read(isLast: boolean): readonly StreamEvent[] {
    if (isFinished) {
      throw new ParserError('The stream is over', { code: 'parser.finished', hint: 'Open a stream for each answer.' });
    }
    isFinished = isLast;
    window.append(filter(batch, isLast));
    window.isOver = isLast;
    batch = '';
    try {
      reading?.next();
      if (isEager) answer.showProgress();
    } catch (error) {
      // A fault of this program or of the caller's id factory must not lose text: what is left becomes content. What was
      // thrown may be no error, nor have any text.
      reading = undefined;
      answer.fail('internal', `stopped, ${Object(error).message}`, window.end);
    }
    if (!reading || isLast) {
      answer.text(window.end);
      window.index = window.source.length;
    }
    return answer.take(isLast);
  }

  take(text);
  return {
    feed(delta) {
      take(delta);
      // Nothing is told of a call before its end, so small deltas can be read together, which is several times faster.
      const isSmall = batch.length < batchLength && !callEnd.test(delta);
      return isSmall && answer.isOpen && !isEager ? [] : read(false);
    },
    finish(reason) {
      answer.finishReason = reason ?? answer.finishReason;
      return read(true);
    },
  };
}
