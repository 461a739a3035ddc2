import type { ToolCallParser } from '@talaria/tool-call-parsers';
import { corpusTools, flatten } from './corpus.ts';

/** A text that a parser may be slow on: something that may begin a call, then one thing over and over. */
export interface HostileFamily {
  readonly name: string;
  readonly lead: string;
  readonly unit: string;
}

const sentinel = 'SENTINEL';

/** The families of a format. Where a call is open in them, it was opened as the format itself writes calls. */
export function hostileFamilies(parser: ToolCallParser): readonly HostileFamily[] {
  const inString = callAround(parser, { content: sentinel });
  const inArray = callAround(parser, { records: [[sentinel]] });
  const intoArray = inArray.before.slice(0, inArray.before.lastIndexOf('[') + 1);
  const start = parser.startMarkers[0] ?? inString.before.slice(0, inString.before.indexOf('write_file'));
  return [
    { name: 'start marker', lead: '', unit: start || inString.before },
    { name: 'opened call', lead: '', unit: inString.before },
    { name: 'brace', lead: start, unit: '{' },
    { name: 'quote', lead: start, unit: '"' },
    { name: 'quote in an object', lead: `${start}{`, unit: '"' },
    { name: 'spaces', lead: start, unit: ' ' },
    { name: 'spaces in text', lead: 'a', unit: ' ' },
    { name: 'unterminated string', lead: inString.before, unit: 'x' },
    { name: 'end of a call, cut', lead: inString.before, unit: inString.after.slice(0, -1) },
    { name: 'first of the end', lead: inString.before, unit: inString.after.trimStart().slice(0, 1) },
    { name: 'nested brackets', lead: intoArray, unit: '[' },
    { name: 'end-of-turn token', lead: 'a', unit: '</s>' },
  ];
}

/** The text of a family in this length. */
export function hostileText({ lead, unit }: HostileFamily, length: number): string {
  return flatten(lead + unit.repeat(Math.ceil((length - lead.length) / unit.length)));
}

/** What the format writes before and behind a value. */
function callAround(
  parser: ToolCallParser,
  value: Readonly<Record<string, unknown>>,
): { before: string; after: string } {
  const text = parser.render([{ name: 'write_file', arguments: value }], { tools: corpusTools });
  const at = text.indexOf(sentinel);
  return { before: text.slice(0, at), after: text.slice(at + sentinel.length) };
}
