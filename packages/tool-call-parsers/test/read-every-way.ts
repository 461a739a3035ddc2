import { test } from '@jest/globals';
import {
  getParser,
  type ParseOptions,
  type ParseResult,
  type StreamEvent,
  type ToolCallParser,
} from '@talaria/tool-call-parsers';
import { cutEvery } from '../src/contract/chunkings.ts';
import { requireSame, requireSound } from '../src/contract/result-checks.ts';
import { countingIds, streamPieces, streamResult } from '../src/contract/stream-run.ts';
import { missingFormats } from './missing-formats.ts';

/** Piece lengths from single units to what arrives with speculative decoding, and the whole text. */
const pieceLengths = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, Number.MAX_SAFE_INTEGER];

/** Reads a text whole and streamed in pieces of many lengths, in both commit modes; all must agree. */
export function readEveryWay(parser: ToolCallParser, text: string, options: ParseOptions = {}): ParseResult {
  const whole = parser.parse(text, { ...options, idFactory: countingIds() });
  requireSound(whole, text);
  for (const length of pieceLengths) {
    for (const commit of ['call', 'eager'] as const) {
      const how = (): string => `In ${commit} mode, by pieces of ${length}`;
      requireSame(streamResult(parser, cutEvery(text, length), commit, options), whole, how);
    }
  }
  return whole;
}

/** What a text says, ids left out. */
export function readCalls(parser: ToolCallParser, text: string, options: ParseOptions = {}): Reading {
  const { content, toolCalls } = readEveryWay(parser, text, options);
  return { content, calls: toolCalls.map((call) => [call.name, JSON.parse(call.arguments) as unknown] as const) };
}

/** Content and calls of a text. */
export interface Reading {
  readonly content: string | null;
  readonly calls: readonly (readonly [name: string, argumentsValue: unknown])[];
}

/** The events of a text that comes in single units, in eager mode: the hardest way to get it wrong. */
export function eagerEvents(parser: ToolCallParser, text: string, options: ParseOptions = {}): readonly StreamEvent[] {
  return streamPieces(parser, text.split(''), 'eager', { ...options, idFactory: countingIds() });
}

/** A test of some formats. Those on the list of missing formats are skipped until they are registered. */
export function testFormats(title: string, formats: readonly string[], run: (parser: ToolCallParser) => void): void {
  for (const format of formats) {
    const register = missingFormats.includes(format) ? test.skip : test;
    register(`${title}: ${format}`, () => run(getParser(format)));
  }
}
