import type { ParsedToolCall, ParseResult } from '@talaria/tool-call-parsers';
import type { OutputStream } from '../host.ts';
import type { Paint } from '../paint.ts';
import { isInsidePair } from './inside-pair.ts';
import { prettyJson } from './pretty-json.ts';
import { renderErrors } from './render-errors.ts';
import { renderTally } from './render-tally.ts';
import { visibleJsonText, visibleLine, visibleText } from './visible-text.ts';

/** A text, and what it says. */
export interface ReadAnswer {
  readonly text: string;
  readonly result: ParseResult;
}

/** Writes what a text says for people: content, calls, errors, and a line that counts them. Ends early without a reader. */
export async function writeResult(stream: OutputStream, { text, result }: ReadAnswer, paint: Paint): Promise<void> {
  const { content, toolCalls, errors } = result;
  for (const part of renderContent(content, paint)) {
    stream.write(part);
    if (!(await stream.flush())) return;
  }
  for (const [index, call] of toolCalls.entries()) {
    stream.write(renderCall(call, index, paint));
    if (!(await stream.flush())) return;
  }
  stream.write(renderErrors(text, errors, { columns: stream.columns, paint }));
  stream.write(renderTally({ callCount: toolCalls.length, errorCount: errors.length }));
}

function* renderContent(content: string | null, paint: Paint): Generator<string, void, undefined> {
  if (content === null || content === '') {
    yield `${paint.faint(`content: ${content === null ? 'none' : 'empty'}`)}\n`;
    return;
  }
  yield `${paint.faint('content')}\n  `;
  for (const part of cutForShowing(content)) yield visibleText(part).replaceAll('\n', '\n  ');
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
