import type { ParseError } from '@talaria/tool-call-parsers';
import { type ExitReason, exitCodes } from '../exit-code.ts';
import type { ReadAnswer } from './parse-request.ts';
import { placeErrors } from './render-errors.ts';
import { visibleJson } from './visible-text.ts';

/** What is told of a text to machines. */
export interface AnswerReport {
  readonly reason: ExitReason;
  readonly parserName: string;
  readonly text: string;
  readonly answer: ReadAnswer;
}

/** Errors that are encoded at a time. */
const batchSize = 1_000;

/**
 * One JSON object on one line, in parts: a text of nothing but markers has millions of errors, which as one string would
 * be longer than a string can be.
 */
export function* encodeAnswer({ reason, parserName, text, answer }: AnswerReport): Generator<string, void, undefined> {
  const { reasoning, content, toolCalls, errors } = answer;
  const head = visibleJson({
    reason,
    exit_code: exitCodes[reason],
    parser: parserName,
    ...(reasoning === undefined ? {} : { reasoning }),
    content,
    tool_calls: toolCalls.map(({ id, name, arguments: json }) => ({ id, name, arguments: json })),
  });
  yield `${head.slice(0, -1)},"errors":[`;
  yield* encodeErrors(text, errors);
  yield ']}\n';
}

function* encodeErrors(text: string, errors: readonly ParseError[]): Generator<string, void, undefined> {
  let batch: string[] = [];
  let separator = '';
  for (const { kind, start, end, line, column, message } of placeErrors(text, errors)) {
    batch.push(visibleJson({ kind, start, end, line, column, message }));
    if (batch.length < batchSize) continue;
    yield separator + batch.join(',');
    separator = ',';
    batch = [];
  }
  if (batch.length > 0) yield separator + batch.join(',');
}
