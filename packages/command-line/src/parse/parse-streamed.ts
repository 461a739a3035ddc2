import type { AnswerEvent } from '@talaria/tool-call-parsers/reasoning';
import { exitCodes } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { paintFor } from '../paint.ts';
import { createPeopleReport, machineReport } from './event-report.ts';
import type { ParseRequest } from './parse-request.ts';
import { createPieceCutter } from './piece-cutter.ts';
import { readText } from './read-text.ts';
import { writeParts } from './write-parts.ts';

/**
 * Parses the text while it arrives, and shows each event as soon as there is one; gives the exit code. Ends early where
 * nobody reads what it writes.
 */
export async function parseStreamed(host: Host, request: ParseRequest): Promise<number> {
  const { reader, tools, startsInReasoning, commit, fileName, deltaLength, isJson } = request;
  const { stdout } = host;
  const report = isJson
    ? machineReport
    : createPeopleReport({ columns: stdout.columns, paint: paintFor(host, stdout) });
  const stream = reader.stream({ tools, startsInReasoning, commit });
  const cutter = createPieceCutter(deltaLength);
  let exitCode = exitCodes.done;

  function note(events: readonly AnswerEvent[]): readonly AnswerEvent[] {
    if (events.some(({ type }) => type === 'error')) exitCode = exitCodes.failed;
    return events;
  }

  for await (const text of readText(host, fileName)) {
    report.addText(text);
    let lines = '';
    for (const piece of cutter.cut(text)) lines += report.addPiece(note(stream.feed(piece)));
    if (!(await writeParts(stdout, [lines]))) return exitCode;
  }
  const rest = cutter.rest();
  const lines = rest === '' ? '' : report.addPiece(note(stream.feed(rest)));
  await writeParts(stdout, [lines + report.addEnd(note(stream.finish()))]);
  return exitCode;
}
