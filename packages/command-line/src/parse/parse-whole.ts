import { exitCodes } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { paintFor } from '../paint.ts';
import { encodeAnswer } from './encode-answer.ts';
import { gatherText } from './gather-text.ts';
import type { ParseRequest } from './parse-request.ts';
import { readText } from './read-text.ts';
import { renderAnswer } from './render-answer.ts';
import { writeParts } from './write-parts.ts';

/** Reads the whole text, then parses it, and shows the result; gives the exit code. */
export async function parseWhole(host: Host, request: ParseRequest): Promise<number> {
  const { parser, reader, tools, startsInReasoning, fileName, isJson } = request;
  const { stdout } = host;
  const gathered = gatherText();
  for await (const piece of readText(host, fileName)) gathered.add(piece);
  const text = gathered.join();
  const answer = reader.parse(text, { tools, startsInReasoning });
  const reason = answer.errors.length === 0 ? 'done' : 'failed';
  await writeParts(
    stdout,
    isJson
      ? encodeAnswer({ reason, parserName: parser.name, text, answer })
      : renderAnswer(text, answer, { columns: stdout.columns, paint: paintFor(host, stdout) }),
  );
  return exitCodes[reason];
}
