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
// @ts-expect-error: there is no such commit mode
parser.stream({ commit: 'late' });
// @ts-expect-error: parsing takes no commit mode
parser.parse('', { commit: 'eager' });
// Tools as they stand in requests, with more properties, written in place or before, and among others.
parser.parse('', { tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: {} } }] });
parser.parse('', { tools: [{ type: 'function', name: 'f', description: 'd', strict: true, parameters: {} }] });
const tools = [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } }];
parser.parse('', { tools });
interface ObjectSchema {
  type: 'object';
  properties: object;
}
declare const schema: ObjectSchema;
parser.parse('', { tools: [{ name: 'f', parameters: schema }, { type: 'web_search' }] });
