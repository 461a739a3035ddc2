import type { CommitMode, ParseResult, ToolCallParser } from '@talaria/tool-call-parsers';
import { demand, show } from '../src/contract/contract-case.ts';
import { isSameJson } from '../src/contract/json-value.ts';
import { requireSame, requireSound } from '../src/contract/result-checks.ts';
import { countingIds, streamResult } from '../src/contract/stream-run.ts';
import { requireTextKept } from './check-text-kept.ts';
import type { FuzzInput } from './generate-input.ts';

/** What a parser makes of a text as a whole, after all that holds for any text was checked. @throws ContractFailure */
export function checkWhole(parser: ToolCallParser, { text, tools }: FuzzInput): ParseResult {
  const result = parser.parse(text, { tools, idFactory: countingIds() });
  requireSound(result, text);
  requireTextKept(parser, text, result, { tools });
  const { startMarkers } = parser;
  if (result.toolCalls.length > 0 && startMarkers.length > 0) {
    const hasMarker = startMarkers.some((marker) => text.includes(marker));
    demand(hasMarker, () => `A call without a start marker: ${show(text)} gave ${show(result)}`);
  }
  let last = 0;
  for (const error of result.errors) {
    demand(error.start >= last, () => `Errors out of order: ${show(text)} gave ${show(result)}`);
    last = error.start;
  }
  return result;
}

/** That the text in these pieces gives what it gave whole. @throws ContractFailure */
export function checkStreamed(
  parser: ToolCallParser,
  { tools }: FuzzInput,
  pieces: readonly string[],
  commit: CommitMode,
  whole: ParseResult,
): void {
  requireSame(streamResult(parser, pieces, commit, { tools }), whole, () => `Fed ${show(pieces)} in ${commit} mode`);
}

/** Formats where `</function>` ends a value at the end of the text, and is part of it where the text goes on. */
const openEndedFormats = new Set(['qwen3_coder', 'qwen3_xml', 'seed_oss']);

/**
 * I6: that the text cut there holds no call but the first ones of a text without faults. One that the cut has broken is
 * told of, and what stands behind its marker is read anew (R4): a string that lacks its end may hold a whole call.
 * @throws ContractFailure
 */
export function checkCut(parser: ToolCallParser, { text, tools }: FuzzInput, length: number, whole: ParseResult): void {
  if (whole.errors.length > 0 || openEndedFormats.has(parser.name)) return;
  const read = (cut: string) => parser.parse(cut, { tools, idFactory: countingIds() });
  const { toolCalls, errors } = read(text.slice(0, length));
  const wanted = whole.toolCalls.slice(0, toolCalls.length);
  if (isSameJson(toolCalls, wanted)) return;
  const broken = errors.find(({ kind }) => kind === 'truncated');
  const behind = broken === undefined ? [] : read(text.slice(broken.start + 1, length)).toolCalls;
  const before = toolCalls.length - behind.length;
  const isSame = isSameJson(toolCalls.map(withoutId), [...wanted.slice(0, before), ...behind].map(withoutId));
  const found = () => `${show(toolCalls)} instead of ${show(whole.toolCalls)}`;
  demand(behind.length > 0 && isSame, () => `Cut at ${length}, ${show(text)} gave ${found()}`);
}

function withoutId({ name, arguments: json }: ParseResult['toolCalls'][number]): readonly string[] {
  return [name, json];
}

/** That the calls which were found are read back from their own writing. @throws ContractFailure */
export function checkReadBack(parser: ToolCallParser, { tools }: FuzzInput, { toolCalls }: ParseResult): void {
  if (!parser.canRender(toolCalls, { tools })) return;
  const text = parser.render(toolCalls, { tools });
  const again = parser.parse(text, { tools });
  const isSame =
    again.toolCalls.length === toolCalls.length &&
    again.toolCalls.every((call, index) => {
      const wanted = toolCalls[index];
      const isNamed = call.name === wanted?.name;
      return isNamed && isSameJson(JSON.parse(call.arguments), JSON.parse(wanted.arguments));
    });
  demand(isSame, () => `${show(toolCalls)} was written ${show(text)} and read ${show(again)}`);
}
