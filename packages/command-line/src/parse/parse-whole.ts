import { type ExitReason, exitCodes } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { paintFor } from '../paint.ts';
import { gatherText } from './gather-text.ts';
import type { ParseRequest, ReadAnswer } from './parse-request.ts';
import { readText } from './read-text.ts';
import { placeErrors } from './render-errors.ts';
import { visibleJson } from './visible-text.ts';
import { writeAnswer } from './write-answer.ts';

/** Reads the whole text, then parses it, and shows the result; gives the exit code. */
export async function parseWhole(host: Host, request: ParseRequest): Promise<number> {
  const { parser, reader, tools, startsInReasoning, fileName, isJson } = request;
  const gathered = gatherText();
  for await (const piece of readText(host, fileName)) gathered.add(piece);
  const text = gathered.join();
  const answer = reader.parse(text, { tools, startsInReasoning });
  const reason = answer.errors.length === 0 ? 'done' : 'failed';
  if (isJson) host.stdout.write(encodeAnswer(text, { parserName: parser.name, answer, reason }));
  else await writeAnswer(host.stdout, { text, answer }, paintFor(host, host.stdout));
  return exitCodes[reason];
}

interface Outcome {
  readonly parserName: string;
  readonly answer: ReadAnswer;
  readonly reason: ExitReason;
}

function encodeAnswer(text: string, { parserName, answer, reason }: Outcome): string {
  const { reasoning, content, toolCalls, errors } = answer;
  return `${visibleJson({
    reason,
    exit_code: exitCodes[reason],
    parser: parserName,
    ...(reasoning === undefined ? {} : { reasoning }),
    content,
    tool_calls: toolCalls.map(({ id, name, arguments: json }) => ({ id, name, arguments: json })),
    errors: placeErrors(text, errors).map(({ kind, start, end, line, column, message }) => ({
      kind,
      start,
      end,
      line,
      column,
      message,
    })),
  })}\n`;
}
