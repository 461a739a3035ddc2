import type { ParsedToolCall } from '@talaria/tool-call-parsers';
import type { OutputStream } from '../host.ts';
import type { Paint } from '../paint.ts';
import { isInsidePair } from './inside-pair.ts';
import type { ReadAnswer } from './parse-request.ts';
import { prettyJson } from './pretty-json.ts';
import { renderErrors } from './render-errors.ts';
import { renderTally } from './render-tally.ts';
import { visibleJsonText, visibleLine, visibleText } from './visible-text.ts';

/** A text, and what it says. */
export interface AnsweredText {
  readonly text: string;
  readonly answer: ReadAnswer;
}

/** Writes what a text says for people, in the order in which it is read. Ends early where nobody reads it. */
export async function writeAnswer(stream: OutputStream, { text, answer }: AnsweredText, paint: Paint): Promise<void> {
  for (const part of renderAnswer(answer, paint)) {
    stream.write(part);
    if (!(await stream.flush())) return;
  }
  const { toolCalls, errors } = answer;
  stream.write(renderErrors(text, errors, { columns: stream.columns, paint }));
  stream.write(renderTally({ callCount: toolCalls.length, errorCount: errors.length }));
}

function* renderAnswer(
  { reasoning, content, toolCalls }: ReadAnswer,
  paint: Paint,
): Generator<string, void, undefined> {
  if (reasoning !== undefined) yield* renderText(paint.faint('reasoning'), reasoning);
  yield* renderText(paint.faint('content'), content);
  for (const [index, call] of toolCalls.entries()) yield renderCall(call, index, paint);
}

function* renderText(title: string, text: string | null): Generator<string, void, undefined> {
  if (text === null || text === '') {
    yield `${title}: ${text === null ? 'none' : 'empty'}\n`;
    return;
  }
  yield `${title}\n  `;
  for (const part of cutForShowing(text)) yield visibleText(part).replaceAll('\n', '\n  ');
  yield '\n';
}

/** Each part is small, since what is shown of a character may be many times as long. */
const partLength = 64 * 1024;

/** Parts that end neither inside a character nor inside a line end. */
function* cutForShowing(text: string): Generator<string, void, undefined> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = Math.min(start + partLength, text.length);
    if (isInsidePair(text, end) || text.startsWith('\r\n', end - 1)) end += 1;
    yield text.slice(start, end);
  }
}

function renderCall({ id, name, arguments: json }: ParsedToolCall, index: number, paint: Paint): string {
  const pretty = visibleJsonText(prettyJson(json)).replaceAll('\n', '\n  ');
  return `${paint.good(`call ${index}`)}: ${visibleLine(name)} ${paint.faint(visibleLine(id))}\n  ${pretty}\n`;
}
