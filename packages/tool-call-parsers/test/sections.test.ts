import { describe, expect, test } from '@jest/globals';
import type { ToolCallParser } from '@talaria/tool-call-parsers';
import { deepseekV3 } from '@talaria/tool-call-parsers/deepseek_v3';
import { deepseekV31 } from '@talaria/tool-call-parsers/deepseek_v3_1';
import { deepseekV4 } from '@talaria/tool-call-parsers/deepseek_v4';
import { deepseekV32 } from '@talaria/tool-call-parsers/deepseek_v32';
import { hyV3 } from '@talaria/tool-call-parsers/hy_v3';
import { kimiK2 } from '@talaria/tool-call-parsers/kimi_k2';
import { qwen3Coder } from '@talaria/tool-call-parsers/qwen3_coder';
import { step3 } from '@talaria/tool-call-parsers/step3';
import { readEveryWay } from './read-every-way.ts';

const formats: readonly (readonly [parser: ToolCallParser, open: string, close: string])[] = [
  [deepseekV3, '<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>'],
  [deepseekV31, '<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>'],
  [deepseekV32, '<｜DSML｜function_calls>', '</｜DSML｜function_calls>'],
  [deepseekV4, '<｜DSML｜tool_calls>', '</｜DSML｜tool_calls>'],
  [kimiK2, '<|tool_calls_section_begin|>', '<|tool_calls_section_end|>'],
  [kimiK2, '<|tool_call_section_begin|>', '<|tool_call_section_end|>'],
  [step3, '<｜tool_calls_begin｜>', '<｜tool_calls_end｜>'],
  [qwen3Coder, '<tool_call>', '</tool_call>'],
  [hyV3, '<tool_calls>', '</tool_calls>'],
];

describe.each(formats.map(([parser, open, close]) => [parser.name, open, close, parser] as const))(
  '%s: a section %s',
  (_name, open, close, parser) => {
    const call = parser.render([{ name: 'ping', arguments: {} }]);

    test.each([
      ['words', `${open}\nI call.${close}`, 'bad-structure', open.length + 1],
      ['nothing', open + close, 'bad-structure', open.length],
      ['a call of another format', `${open}\n{"name": "ping"}\n${close}`, 'bad-structure', open.length + 1],
      ['the end of the text', `${open} \n`, 'truncated', open.length + 2],
      ['a second one, and then words', `${open}\n${open}no`, 'bad-structure', 2 * open.length + 1],
    ])('before %s holds no call, which is told', (_title, section, kind, end) => {
      const lead = 'I call.\n';
      const { content, toolCalls, errors } = readEveryWay(parser, lead + section);
      expect({ content, toolCalls }).toEqual({ content: lead + section, toolCalls: [] });
      expect(errors).toEqual([
        {
          kind,
          start: lead.length,
          end: lead.length + end,
          message: expect.stringContaining('expected a call at offset'),
        },
      ]);
    });

    test('that holds no call leaves one behind it whole', () => {
      const broken = `${open}no${close}`;
      const { content, toolCalls, errors } = readEveryWay(parser, broken + call);
      expect([content, toolCalls.map(({ name }) => name)]).toEqual([broken, ['ping']]);
      expect(errors).toMatchObject([{ kind: 'bad-structure', start: 0, end: open.length }]);
    });

    test('before a call vanishes, also where it was opened twice', () => {
      expect(readEveryWay(parser, `${open}\n ${call}`)).toMatchObject({ content: null, errors: [] });
    });

    test('does not hold what is known to be text', () => {
      const stream = parser.stream();
      const text = (events: ReturnType<typeof stream.feed>): string =>
        events.map((event) => (event.type === 'content' ? event.text : '')).join('');
      expect(text(stream.feed(`${open}\n`))).toBe('');
      expect(text(stream.feed('no'))).toBe(`${open}\nno`);
      expect(text(stream.feed(' call'))).toBe(' call');
    });
  },
);
