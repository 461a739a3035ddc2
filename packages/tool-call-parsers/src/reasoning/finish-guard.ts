import { ParserError } from '../parser-errors.ts';

/**
 * Refuses to read on behind the end of an answer. It is told of each step whether it is the last.
 * @throws ParserError `parser.finished`
 */
export function createFinishGuard(): (isLast: boolean) => void {
  let isFinished = false;
  return (isLast) => {
    if (isFinished) {
      const hint = 'Open a stream for each answer.';
      throw new ParserError('The stream was finished already', { code: 'parser.finished', hint });
    }
    isFinished = isLast;
  };
}
