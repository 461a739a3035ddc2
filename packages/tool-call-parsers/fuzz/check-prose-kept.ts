import type { ParseResult, ToolCallParser } from '@talaria/tool-call-parsers';
import { demand, show } from '../src/contract/contract-case.ts';
import { isSameJson } from '../src/contract/json-value.ts';
import { framedFormats } from './check-text-kept.ts';
import type { FuzzInput } from './generate-input.ts';
import { withoutTurnEnd } from './turn-end.ts';

/**
 * I5 beside calls: where prose, whatever markup it mentions, neither holds a call nor changes those of the text, all of
 * it is content, before the text and behind it, and joined by a line feed. This finds what is taken for markup far from
 * any call.
 * @throws ContractFailure
 */
export function checkProseKept(parser: ToolCallParser, { text, tools }: FuzzInput, prose: string): void {
  if (framedFormats.has(parser.name)) return;
  const read = (input: string): ParseResult => parser.parse(input, { tools });
  const alone = read(text);
  if (alone.toolCalls.length === 0 || read(prose).toolCalls.length > 0) return;
  const content = alone.content ?? '';
  requireKept(read, `${prose} so.\n`, text, alone, `${prose} so. ${content}`);
  requireKept(read, withoutTurnEnd(text), `\nThen ${prose}`, alone, `${content} Then ${withoutTurnEnd(prose)}`);
}

function requireKept(
  read: (text: string) => ParseResult,
  before: string,
  behind: string,
  alone: ParseResult,
  expected: string,
): void {
  const result = read(before + behind);
  if (!hasSameCalls(result, alone)) return;
  const isKept = withSingleSpaces(result.content ?? '') === withSingleSpaces(expected);
  demand(isKept, () => `Prose beside a call changed: ${show(before + behind)} gave ${show(result)}`);
}

/** White space around calls may vanish or become a line feed. */
function withSingleSpaces(text: string): string {
  return text
    .trim()
    .split(/[ \t\r\n]+/)
    .join(' ');
}

function hasSameCalls(left: ParseResult, right: ParseResult): boolean {
  const calls = (result: ParseResult): unknown => result.toolCalls.map(({ name, arguments: json }) => [name, json]);
  return isSameJson(calls(left), calls(right));
}
