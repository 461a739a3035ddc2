import type { ParseResult, ToolCallParser } from '@talaria/tool-call-parsers';
import { type ExitReason, exitCodes } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { paintFor } from '../paint.ts';
import { gatherText } from './gather-text.ts';
import type { ParseRequest } from './parse-request.ts';
import { readText } from './read-text.ts';
import { placeErrors } from './render-errors.ts';
import { visibleJson } from './visible-text.ts';
import { writeResult } from './write-result.ts';

/** Reads the whole text, then parses it, and shows the result; gives the exit code. */
export async function parseWhole(host: Host, request: ParseRequest): Promise<number> {
  const { parser, tools, fileName, isJson } = request;
  const gathered = gatherText();
  for await (const piece of readText(host, fileName)) gathered.add(piece);
  const text = gathered.join();
  const result = parser.parse(text, { tools });
  const reason = result.errors.length === 0 ? 'done' : 'failed';
  if (isJson) host.stdout.write(encodeResult(text, { parser, result, reason }));
  else await writeResult(host.stdout, { text, result }, paintFor(host, host.stdout));
  return exitCodes[reason];
}

interface Outcome {
  readonly parser: ToolCallParser;
  readonly result: ParseResult;
  readonly reason: ExitReason;
}

function encodeResult(text: string, { parser, result, reason }: Outcome): string {
  return `${visibleJson({
    reason,
    exit_code: exitCodes[reason],
    parser: parser.name,
    content: result.content,
    tool_calls: result.toolCalls.map(({ id, name, arguments: json }) => ({ id, name, arguments: json })),
    errors: placeErrors(text, result.errors).map(({ kind, start, end, line, column, message }) => ({
      kind,
      start,
      end,
      line,
      column,
      message,
    })),
  })}\n`;
}
