import { describe, expect, test } from '@jest/globals';
import { getParser, type ParseResult, type ToolCallParser } from '@talaria/tool-call-parsers';
import { createFormatMaterial } from '../fuzz/format-material.ts';
import { runFuzz } from '../fuzz/run-fuzz.ts';
import { readVectorFile, testedFormats } from './tested-formats.ts';

const materials = testedFormats.map(({ parser, vectors }) => createFormatMaterial(parser, vectors));

test('20,000 generated texts break no promise, and hold calls of every format', () => {
  const report = runFuzz({ formats: materials, seed: 3, runs: 20_000 });
  expect(report.failure).toBeUndefined();
  expect(report.inputs).toBe(20_000);
  for (const [format, calls] of report.calls)
    expect({ format, hasCalls: calls > 20 }).toEqual({ format, hasCalls: true });
});

test('an input can be run again alone', () => {
  const [alone, among] = [
    runFuzz({ formats: materials, seed: 5, first: 700, runs: 1 }),
    runFuzz({ formats: materials, seed: 5, first: 690, runs: 11 }),
  ];
  const before = runFuzz({ formats: materials, seed: 5, first: 690, runs: 10 });
  expect(alone.characters).toBe(among.characters - before.characters);
  expect(runFuzz({ formats: materials, seed: 5, runs: 9, isOver: () => true }).inputs).toBe(0);
});

describe('the fuzzer finds', () => {
  const hermes = getParser('hermes');
  const changed = (change: (result: ParseResult) => ParseResult): Partial<ToolCallParser> => ({
    parse: (text, options) => change(hermes.parse(text, options)),
  });
  const faults: readonly (readonly [string, Partial<ToolCallParser>, RegExp])[] = [
    [
      'content that is lost between calls',
      changed((result) => (result.toolCalls.length < 2 ? result : { ...result, content: null })),
      /Text was lost|instead of/,
    ],
    [
      'content that is lost where there is no call',
      changed((result) => (result.content?.includes('<') === true ? { ...result, content: '' } : result)),
      /changed|empty/,
    ],
    [
      'content in another order',
      changed((result) => ({ ...result, content: result.content && [...result.content].toReversed().join('') })),
      /order|changed/,
    ],
    [
      'arguments that are no object',
      changed(({ toolCalls, ...rest }) => {
        return { ...rest, toolCalls: toolCalls.map((call) => ({ ...call, arguments: `${call.arguments}}` })) };
      }),
      /no JSON object/,
    ],
    [
      'an exception',
      changed((result) => {
        if (result.errors.length > 1) throw new Error('odd');
        return result;
      }),
      /odd/,
    ],
    [
      'a stream that reads one call a delta',
      {
        stream(options) {
          const inner = hermes.stream(options);
          const single = (delta: string) =>
            inner.feed(delta).filter((event) => !('index' in event) || event.index === 0);
          return { feed: single, finish: (reason) => inner.finish(reason) };
        },
      },
      /instead of|out of order/,
    ],
    ['calls that are written wrongly', { render: (calls) => hermes.render(calls.slice(0, 1)) }, /was written/],
  ];

  test.each(faults)('%s, and shows it on a short text', (_what, fault, expected) => {
    const faulty = createFormatMaterial({ ...hermes, ...fault }, readVectorFile('hermes'));
    const { failure } = runFuzz({ formats: [faulty], seed: 7, runs: 5000 });
    expect(failure?.message).toMatch(expected);
    expect(failure?.shortMessage).toMatch(expected);
    expect(failure?.shortText.length).toBeLessThan(120);
  });
});
