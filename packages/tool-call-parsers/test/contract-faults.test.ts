import { describe, expect, test } from '@jest/globals';
import { getParser, type ToolCallParser } from '@talaria/tool-call-parsers';
import { ContractFailure, toolCallParserContract } from '@talaria/tool-call-parsers/contract';
import { readVectorFile } from './tested-formats.ts';

describe('the contract finds', () => {
  const hermes = getParser('hermes');
  // A few are enough to show each fault, and every fault is looked for in all cases.
  const vectors = readVectorFile('hermes').slice(0, 4);
  const faults: readonly (readonly [string, Partial<ToolCallParser>])[] = [
    ['a parser that finds nothing', { parse: (text) => ({ content: text, toolCalls: [], errors: [] }) }],
    [
      'a parser that loses the text after calls',
      {
        parse(text, options) {
          const result = hermes.parse(text, options);
          return result.toolCalls.length === 0
            ? result
            : { ...result, content: result.content?.split('\n')[0] ?? null };
        },
      },
    ],
    [
      'a stream that holds everything back',
      {
        stream(options) {
          let text = '';
          return {
            feed: (delta) => {
              text += delta;
              return [];
            },
            finish: () => {
              const inner = hermes.stream(options);
              return [...inner.feed(text), ...inner.finish()];
            },
          };
        },
      },
    ],
    [
      'a stream that does one step for each delta',
      {
        stream(options) {
          const inner = hermes.stream(options);
          return { feed: (delta) => inner.feed(delta).slice(0, 3), finish: (reason) => inner.finish(reason) };
        },
      },
    ],
    [
      'a parser whose ids repeat',
      {
        parse(text, options) {
          const result = hermes.parse(text, options);
          return { ...result, toolCalls: result.toolCalls.map((call) => ({ ...call, id: 'same' })) };
        },
      },
    ],
    ['a writer that writes nothing', { render: () => '', canRender: () => true }],
  ];

  test.each(faults)('%s', async (_what, fault) => {
    const parser: ToolCallParser = { ...hermes, ...fault };
    const outcomes = await Promise.allSettled(
      toolCallParserContract({ vectors }).map((entry) => entry.run(() => parser)),
    );
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) expect(failure).toBeInstanceOf(ContractFailure);
  });

  test('a dispute that is settled', async () => {
    const disputed = [{ name: 'single-simple', reason: 'none' }];
    const [first] = toolCallParserContract({ vectors, disputed });
    await expect(first?.run(() => hermes)).rejects.toThrow('take it off the list');
  });
});
