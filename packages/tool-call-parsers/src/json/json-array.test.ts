import { describe, expect, test } from '@jest/globals';
import { granite } from '@talaria/tool-call-parsers/granite';
import { hunyuanA13b } from '@talaria/tool-call-parsers/hunyuan_a13b';
import { jamba } from '@talaria/tool-call-parsers/jamba';
import { mistral } from '@talaria/tool-call-parsers/mistral';
import { phi4MiniJson } from '@talaria/tool-call-parsers/phi4_mini_json';
import { xlam } from '@talaria/tool-call-parsers/xlam';
import { readCalls, readEveryWay } from '../../test/read-every-way.ts';

const formats = [
  { parser: granite, marker: '<|tool_call|>' },
  { parser: hunyuanA13b, marker: '<tool_calls>' },
  { parser: jamba, marker: '<tool_calls>' },
  { parser: mistral, marker: '[TOOL_CALLS]' },
  { parser: phi4MiniJson, marker: 'functools' },
  { parser: xlam, marker: '<tool_call>' },
];

const first = '{"name": "a", "arguments": {"s": "] , [ } {"}}';
const second = '{"name": "b"}';

describe.each(formats)('an array in $parser.name', ({ parser, marker }) => {
  function namesIn(text: string): readonly string[] {
    return readCalls(parser, text).calls.map(([name]) => name);
  }

  test.each([
    ['in one line', `[${first}, ${second}]`],
    ['in lines', `[\n  ${first},\n  ${second}\n]\n`],
    ['without white space', `[${first},${second}]`],
    ['with white space everywhere', ` \n[ ${first} , ${second} ] `],
    ['without its end', `[${first}, ${second}`],
    ['with a comma too many', `[${first}, ${second}, ]`],
    ['that is cut behind a comma', `[${first}, ${second}, `],
  ])('%s: its calls count, and nothing of it is content', (_title, array) => {
    const { content, calls } = readCalls(parser, `Hm.\n${marker}${array}`);
    expect([content, calls]).toEqual([
      'Hm.',
      [
        ['a', { s: '] , [ } {' }],
        ['b', {}],
      ],
    ]);
  });

  test.each([
    ['an object that is no call', '{"x": {"name": "a"}}', 'bad-name'],
    ['an object with other arguments', '{"name": "a", "arguments": [1]}', 'bad-arguments'],
    ['a number', '-1.5e3', 'bad-structure'],
    ['a word', 'null', 'bad-structure'],
    ['a string', '"a ] b, \\" c"', 'bad-structure'],
    ['an array', '[[{"name": "a"}], []]', 'bad-structure'],
  ])('%s in it is text, and the rest counts', (_title, element, kind) => {
    const behind = readEveryWay(parser, `${marker}[${first}, ${element}, ${second}] Bye.`);
    expect(behind.toolCalls.map((call) => call.name)).toEqual(['a', 'b']);
    expect(behind.content).toBe(`${element},\nBye.`);
    expect(behind.errors.map((error) => error.kind)).toEqual([kind]);

    const inFront = readEveryWay(parser, `${marker}[${element}, ${first}]`);
    expect(inFront.toolCalls.map((call) => call.name)).toEqual(['a']);
    expect(inFront.content).toBe(`${marker}[${element},`);

    const atEnd = readEveryWay(parser, `${marker}[${first}, ${element}]`);
    expect(atEnd.toolCalls.map((call) => call.name)).toEqual(['a']);
    expect(atEnd.content).toBe(`${element}]`);
  });

  test.each([
    ['bad JSON', '{"name": b}', '{"name": b}, {"name": "b"}]'],
    ['a cut object', '{"name": "c"', '{"name": "c", {"name": "b"}]'],
    ['a bare word', 'word', 'word, {"name": "b"}]'],
  ])('%s ends it: the calls before count', (_title, element, content) => {
    const reading = readCalls(parser, `${marker}[${first}, ${element}, ${second}]`);
    expect(reading).toEqual({ content, calls: [['a', { s: '] , [ } {' }]] });
  });

  test('an object without a comma before it ends it', () => {
    expect(readCalls(parser, `${marker}[${first} ${second}]`)).toMatchObject({ content: `${second}]` });
  });

  test('a call behind a broken array counts', () => {
    const broken = [`[`, `[x`, `[{"name": `, `[{"name": "open `, `["open `, `[1 2`, `[[`].map((text) => marker + text);
    for (const text of broken) {
      expect(namesIn(`${text} ${marker}[${second}]`)).toEqual(['b']);
      expect(readCalls(parser, text)).toEqual({ content: text, calls: [] });
      expect(parser.parse(text).errors).toHaveLength(1);
    }
  });

  test('what ends with the text in an element is text', () => {
    const text = `${marker}[${first}, ${second}]`;
    const secondFrom = text.indexOf(second);
    for (let length = secondFrom + 1; length < secondFrom + second.length; length += 1) {
      const { content, toolCalls, errors } = readEveryWay(parser, text.slice(0, length));
      expect(toolCalls.map((call) => call.name)).toEqual(['a']);
      // White space at the end is no content where there is a call.
      expect(content).toBe(text.slice(secondFrom, length).trimEnd());
      expect(errors).toMatchObject([{ kind: 'truncated', start: secondFrom, end: length }]);
    }
  });

  test('nesting beyond the limit ends it', () => {
    const deep = `${'['.repeat(600)}${']'.repeat(600)}`;
    const text = `${marker}[${first}, ${deep}, ${second}]`;
    expect(readCalls(parser, text)).toMatchObject({ content: `${deep}, ${second}]` });
  });
});
