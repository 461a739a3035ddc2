import { expectTypeOf } from 'expect-type';
import type { ContractCase } from './contract/contract-case.ts';
import { toolCallParserContract } from './contract/index.ts';
import { getParser, type ParseResult, type StreamEvent, type StreamParser, type ToolCallParser } from './index.ts';

const parser = getParser('hermes');
expectTypeOf(parser).toEqualTypeOf<ToolCallParser>();
expectTypeOf(parser.parse('')).toEqualTypeOf<ParseResult>();
expectTypeOf(parser.parse('').content).toEqualTypeOf<string | null>();
expectTypeOf(parser.stream({ commit: 'eager' })).toEqualTypeOf<StreamParser>();
expectTypeOf(parser.stream().feed('')).toEqualTypeOf<readonly StreamEvent[]>();
expectTypeOf(toolCallParserContract({ vectors: [] })).toEqualTypeOf<readonly ContractCase<ToolCallParser>[]>();
// @ts-expect-error there is no such commit mode
parser.stream({ commit: 'late' });
// @ts-expect-error parsing takes no commit mode
parser.parse('', { commit: 'eager' });
