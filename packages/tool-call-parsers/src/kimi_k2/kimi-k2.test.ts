import { describe, expect, test } from '@jest/globals';
import { kimiK2 } from '@talaria/tool-call-parsers/kimi_k2';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';

const begin = '<|tool_call_begin|>';
const end = '<|tool_call_end|>';
const separator = '<|tool_call_argument_begin|>';

function call(id: string, json = '{}'): string {
  return `${begin}${id}${separator}${json}${end}`;
}

function idsOf(text: string, startIndex?: number): readonly (readonly [id: string, name: string])[] {
  return readEveryWay(kimiK2, text, { startIndex }).toolCalls.map(({ id, name }) => [id, name] as const);
}

describe('ids', () => {
  test.each([
    ['functions.a:0', 'functions.a:0', 'a'],
    ['functions.a:12', 'functions.a:12', 'a'],
    ['a:0', 'a:0', 'a'],
    ['functions.a', 'functions.a:0', 'a'],
    ['a', 'functions.a:0', 'a'],
    ['functions.fs.read:0', 'functions.fs.read:0', 'fs.read'],
    ['functions.srv:tool:1', 'functions.srv:tool:1', 'srv:tool'],
    ['functions.srv:tool', 'functions.srv:tool:0', 'srv:tool'],
    ['functions.functions.a:3', 'functions.functions.a:3', 'functions.a'],
    ['functions.a:b', 'functions.a:b:0', 'a:b'],
    ['mcp__mail-box__list:7', 'mcp__mail-box__list:7', 'mcp__mail-box__list'],
    [' \nfunctions.a:0\r\n', 'functions.a:0', 'a'],
  ])('%j', (given, id, name) => expect(idsOf(call(given))).toEqual([[id, name]]));

  test('a repeated id is replaced by one that counts', () => {
    expect(idsOf(call('functions.a:0') + call('functions.a:0') + call('functions.b:0'))).toEqual([
      ['functions.a:0', 'a'],
      ['functions.a:1', 'a'],
      ['functions.b:0', 'b'],
    ]);
  });

  test('the count begins where the options say', () => {
    expect(idsOf(call('a') + call('functions.b:2') + call('c'), 5)).toEqual([
      ['functions.a:5', 'a'],
      ['functions.b:2', 'b'],
      ['functions.c:7', 'c'],
    ]);
  });

  test('an id that was made for a call is not one that the model wrote before', () => {
    expect(idsOf(call('functions.a:1') + call('a')).map(([id]) => id)).toEqual(['functions.a:1', 'functions.a:2']);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 0.5, 2 ** 53])('a count cannot begin at %p', (startIndex) => {
    expect(idsOf(call('a') + call('a'), startIndex).map(([id]) => id)).toEqual(['functions.a:0', 'functions.a:1']);
  });

  test('ids that all come next do not make the search for a free one long', () => {
    const count = 2000;
    const taken = Array.from({ length: count }, (_, index) => call(`functions.a:${count + index}`)).join('');
    let tries = 0;
    const { has } = Set.prototype;
    Set.prototype.has = function counted(value: unknown) {
      tries += 1;
      return has.call(this, value);
    };
    try {
      const { toolCalls } = kimiK2.parse(taken + call('a').repeat(count));
      expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2 * count);
    } finally {
      Set.prototype.has = has;
    }
    expect(tries).toBeLessThan(2 * count * 30);
  });

  test('a broken call does not use its id up', () => {
    expect(idsOf(call('functions.a:4', '{"b": }') + call('functions.a:4', '{} x') + call('functions.a:4'))).toEqual([
      ['functions.a:4', 'a'],
    ]);
  });

  test('two streams do not know of each other', () => {
    expect(idsOf(call('functions.a:0'))).toEqual(idsOf(call('functions.a:0')));
  });
});

describe('calls', () => {
  test.each([
    ['blank arguments', call('a:0', '')],
    ['blank arguments and line feeds', call('a:0', '\n \n')],
    ['no call end before the section end', `${begin}a:0${separator}{}<|tool_calls_section_end|>`],
    ['no call end before the other section end', `${begin}a:0${separator}{}<|tool_call_section_end|>`],
    ['no call end at the end of the text', `${begin}a:0${separator}{} <|im_end|>`],
    ['a call end that the text cut', `${begin}a:0${separator}{}<|tool_call_e`],
    ['section tokens more than once', `<|tool_calls_section_begin|><|tool_call_section_begin|>\n${call('a:0')}`],
    ['section ends more than once', `${call('a:0')}<|tool_calls_section_end|>\n<|tool_calls_section_end|>`],
  ])('%s', (_title, text) => expect(readCalls(kimiK2, text)).toEqual({ content: null, calls: [['a', {}]] }));

  test('a call without its end before another', () => {
    expect(readCalls(kimiK2, `${begin}a:0${separator}{}${call('b:1')}`).calls).toHaveLength(2);
  });

  test('section tokens that stand beside no call are text, and one that opens a section is told', () => {
    const text = 'a <|tool_calls_section_begin|> b <|tool_calls_section_end|>';
    expect(readEveryWay(kimiK2, text)).toMatchObject({
      content: text,
      toolCalls: [],
      errors: [{ kind: 'bad-structure', start: 2 }],
    });
    expect(readCalls(kimiK2, `${call('a:0')} x <|tool_calls_section_end|>`).content).toBe(
      'x <|tool_calls_section_end|>',
    );
  });

  test.each([
    ['bad-json', call('a:0', "{'b': 1}")],
    ['bad-structure', call('a:0', '[]')],
    ['bad-structure', call('a:0', '{}{}')],
    ['bad-structure', `${begin}a:0{}${end}`],
    ['bad-name', call('functions.:0')],
    ['bad-name', call('')],
    ['bad-name', call('functions.a b:0')],
    ['bad-name', call('n'.repeat(700))],
    ['truncated', `${begin}functions.a:0`],
    ['truncated', `${begin}functions.a:0${separator}`],
    ['truncated', `${begin}functions.a:0${separator}{"b": "`],
  ])('%s: %j is text', (kind, text) => {
    expect(readEveryWay(kimiK2, text)).toMatchObject({ content: text, toolCalls: [], errors: [{ kind, start: 0 }] });
  });

  test('eager mode gives the model’s id with the name', () => {
    const events = eagerEvents(kimiK2, call('functions.a:3', `{"b": "${'long '.repeat(20)}"}`));
    expect(events[0]).toEqual({ type: 'call-start', index: 0, id: 'functions.a:3', name: 'a' });
    expect(events.filter((event) => event.type === 'call-arguments').length).toBeGreaterThan(80);
  });
});

describe('writing', () => {
  test('ids of the family are kept, others are made', () => {
    const calls = [
      { id: 'functions.a:7', name: 'a', arguments: { b: 1 } },
      { id: 'call_123', name: 'c', arguments: {} },
      { id: 'functions.a:9', name: 'd', arguments: {} },
      { name: 'e', arguments: {} },
    ];
    const written = [
      call('functions.a:7', '{"b": 1}'),
      call('functions.c:1'),
      call('functions.d:2'),
      call('functions.e:3'),
    ];
    expect(kimiK2.render(calls, { content: 'Now.' })).toBe(
      `Now.<|tool_calls_section_begin|>${written.join('')}<|tool_calls_section_end|>`,
    );
  });

  test.each(['a b', 'a<', '', 'n'.repeat(257)])('the name %j is refused', (name) => {
    expect(kimiK2.canRender([{ name, arguments: {} }])).toBe(false);
  });
});
