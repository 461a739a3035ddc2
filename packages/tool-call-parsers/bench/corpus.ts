import { readFileSync } from 'node:fs';
import type { ParseResult, ToolCallParser, ToolSchema } from '@talaria/tool-call-parsers';

/** What every reply of the benchmarks calls: values of each kind that formats write in different ways. */
export const corpusTools: readonly ToolSchema[] = [
  {
    type: 'function',
    function: {
      name: 'write_file',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          revision: { type: 'integer' },
          overwrite: { type: 'boolean' },
          summary: { type: 'string' },
          edits: { type: 'array' },
          records: { type: 'array' },
          content: { type: 'string' },
        },
      },
    },
  },
];

const content = 'I will write the file now, then run the tests.';
const code = readCorpus('code.txt').split(/(?<=\n)/);
const prose = paragraphs('prose.txt');
const languages = paragraphs('languages.txt');
const edits = jsonLines('edits.jsonl');
const records = jsonLines('records.jsonl');

/** What a reply is made of. */
export interface CorpusOptions {
  /** Adds text in other scripts, which makes the engine keep two bytes of memory for each character. @default false */
  readonly hasOtherScripts?: boolean | undefined;
}

/** Arguments whose JSON text has about this length: nearly half code, the rest prose, edits and nested data. */
function corpusArguments(length: number, options: CorpusOptions): Readonly<Record<string, unknown>> {
  const summary = take(prose, length * 0.2);
  const others = {
    path: 'src/reports/nightly.ts',
    revision: 17,
    overwrite: true,
    summary: [...(options.hasOtherScripts === true ? languages : []), ...summary].join(''),
    edits: take(edits, length * 0.2),
    records: take(records, length * 0.15),
  };
  return { ...others, content: take(code, length - JSON.stringify(others).length).join('') };
}

/**
 * A reply with some text and one call that holds such arguments.
 * @throws Error where the format cannot write them, or reads back another call
 */
export function corpusReply(parser: ToolCallParser, length: number, options: CorpusOptions = {}): string {
  const call = { name: 'write_file', arguments: corpusArguments(length, options) };
  const text = flatten(parser.render([call], { content, tools: corpusTools }));
  const result = parser.parse(text, { tools: corpusTools });
  if (!isSameCall(result, call.arguments)) {
    throw new Error(`${parser.name} reads another call than it wrote: ${JSON.stringify(result).slice(0, 300)}`);
  }
  return text;
}

function isSameCall({ content: said, toolCalls, errors }: ParseResult, wanted: unknown): boolean {
  const [call] = toolCalls;
  return (
    said === content &&
    errors.length === 0 &&
    toolCalls.length === 1 &&
    call !== undefined &&
    JSON.stringify(JSON.parse(call.arguments)) === JSON.stringify(wanted)
  );
}

/** The same text in one piece of memory. What was put together of parts would be joined within the first measured run. */
export function flatten(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

/** The first pieces whose JSON text reaches the length, from the start again where there are not enough. */
function take<Piece>(pieces: readonly Piece[], length: number): readonly Piece[] {
  const taken: Piece[] = [];
  let sum = 0;
  while (sum < length) {
    for (const piece of pieces) {
      if (sum >= length) break;
      taken.push(piece);
      sum += JSON.stringify(piece).length - (typeof piece === 'string' ? 2 : 0);
    }
  }
  return taken;
}

function paragraphs(name: string): string[] {
  return readCorpus(name).split(/(?<=\n\n)/);
}

function jsonLines(name: string): unknown[] {
  return readCorpus(name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

function readCorpus(name: string): string {
  return readFileSync(new URL(`corpus/${name}`, import.meta.url), 'utf8');
}
