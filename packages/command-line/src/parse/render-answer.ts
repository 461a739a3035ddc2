import type { ParsedToolCall } from '@talaria/tool-call-parsers';
import type { Paint } from '../paint.ts';
import { isInsidePair } from './inside-pair.ts';
import type { ReadAnswer } from './parse-request.ts';
import { prettyJson } from './pretty-json.ts';
import { type ErrorRenderOptions, renderErrors } from './render-errors.ts';
import { renderTally } from './render-tally.ts';
import { visibleJsonText, visibleLine, visibleText } from './visible-text.ts';

/** What a text says, for people: reasoning, content, calls, errors, and a line that counts them; in small parts. */
export function* renderAnswer(
  text: string,
  { reasoning, content, toolCalls, errors }: ReadAnswer,
  options: ErrorRenderOptions,
): Generator<string, void, undefined> {
  const { paint } = options;
  if (reasoning !== undefined) yield* renderText(paint.faint('reasoning'), reasoning);
  yield* renderText(paint.faint('content'), content);
  for (const [index, call] of toolCalls.entries()) yield renderCall(call, index, paint);
  yield renderErrors(text, errors, options);
  yield renderTally({ callCount: toolCalls.length, errorCount: errors.length });
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
