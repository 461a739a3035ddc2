import { describe, expect, test } from '@jest/globals';
import { deepseekV3 } from '@talaria/tool-call-parsers/deepseek_v3';
import { deepseekV31 } from '@talaria/tool-call-parsers/deepseek_v3_1';
import { eagerEvents, readCalls, readEveryWay } from '../../test/read-every-way.ts';

const sectionBegin = '<｜tool▁calls▁begin｜>';
const sectionEnd = '<｜tool▁calls▁end｜>';
const begin = '<｜tool▁call▁begin｜>';
const end = '<｜tool▁call▁end｜>';
const separator = '<｜tool▁sep｜>';

function fenced(name: string, json: string): string {
  return `${begin}function${separator}${name}\n\`\`\`json\n${json}\n\`\`\`${end}`;
}

function bare(name: string, json: string): string {
  return `${begin}${name}${separator}${json}${end}`;
}

describe.each([deepseekV3, deepseekV31])('$name', (parser) => {
  test.each([
    ['the layout of V3', fenced('a', '{"b": 1}')],
    ['the layout of V3.1', bare('a', '{"b": 1}')],
    ['no json behind the fence', `${begin}function${separator}a\n\`\`\`\n{"b": 1}\n\`\`\`${end}`],
    ['no fence', `${begin}function${separator}a\n{"b": 1}${end}`],
    ['no fence and no line feed', `${begin}function${separator}a{"b": 1}${end}`],
    ['a fence that does not close', `${begin}function${separator}a\n\`\`\`json\n{"b": 1}${end}`],
    ['another type', `${begin}my kind of tool${separator}a\n\`\`\`json\n{"b": 1}\n\`\`\`${end}`],
    ['line feeds of Windows', fenced('a', '{"b": 1}').replaceAll('\n', '\r\n')],
    ['white space around the name', `${begin} a \n${separator}\n{"b": 1} \n${end}`],
    ['both section tokens', `${sectionBegin}\n${bare('a', '{"b": 1}')}\n${sectionEnd}\n`],
    ['the start token twice', `${sectionBegin}${sectionBegin}${bare('a', '{"b": 1}')}`],
    ['an end-of-turn token instead of the call end', `${begin}a${separator}{"b": 1}<｜end▁of▁sentence｜>`],
    ['a call end that the text cut', `${begin}a${separator}{"b": 1}${end.slice(0, 9)}`],
    ['the end of a fence that the text cut', `${begin}function${separator}a\n\`\`\`json\n{"b": 1}\n\`\``],
    ['no call end before the section end', `${begin}a${separator}{"b": 1}${sectionEnd}`],
  ])('a call: %s', (_title, text) => {
    expect(readCalls(parser, text)).toEqual({ content: null, calls: [['a', { b: 1 }]] });
  });

  test.each([
    ['V3.1, nothing', `${begin}ping${separator}${end}`],
    ['V3.1, white space', `${begin}ping${separator} \n${end}`],
    ['V3, an empty fence', fenced('ping', '')],
    ['V3, no fence', `${begin}function${separator}ping\n${end}`],
    ['V3, a fence and no call end', `${begin}function${separator}ping\n\`\`\`json\n\`\`\`${sectionEnd}`],
  ])('blank arguments mean {}: %s', (_title, text) => {
    expect(readCalls(parser, text)).toEqual({ content: null, calls: [['ping', {}]] });
  });

  test('a call without its end before another', () => {
    const text = `${begin}a${separator}{}\n${fenced('b', '{}')}`;
    expect(readCalls(parser, text).calls).toEqual([
      ['a', {}],
      ['b', {}],
    ]);
  });

  test('text before, between and after the calls', () => {
    const text = `One. ${sectionBegin}${bare('a', '{}')}${sectionEnd} Two, ${sectionBegin} ${bare('b', '{}')} three.`;
    expect(readCalls(parser, text).content).toBe('One.\nTwo,\nthree.');
  });

  test.each([
    ['bad-json', `${begin}a${separator}{"b": }${end}`, 'not JSON, expected a JSON value', '}'],
    ['bad-structure', `${begin}a${separator}{} and more${end}`, `expected ${end}`, 'a'],
    ['bad-structure', `${begin}a${sectionEnd}{}`, `expected ${separator}`, '<'],
    ['bad-structure', `${begin}function${separator}a\n\`\`\`js\n{}\n\`\`\`${end}`, 'expected {', 'j'],
    ['bad-structure', `${begin}function${separator}a\n[]${end}`, 'expected {', '['],
  ])('%s: %j', (kind, text, expected, found) => {
    const { content, toolCalls, errors } = readEveryWay(parser, text);
    expect({ content, toolCalls }).toEqual({ content: text, toolCalls: [] });
    const at = errors[0]?.end ?? Number.NaN;
    expect(errors).toEqual([
      { kind, start: 0, end: at, message: `No tool call: ${expected} at offset ${at}, found "${found}"` },
    ]);
    expect(text[at]).toBe(found);
  });

  test.each([
    ['bad-name', `${begin}a b${separator}{}${end}`],
    ['bad-name', `${begin}${separator}{}${end}`],
    ['bad-name', `${begin}function${separator}\`\`\`json\n{}\n\`\`\`${end}`],
    ['bad-name', `${begin}${'n'.repeat(257)}${separator}{}${end}`],
    ['bad-name', `${begin}${'n'.repeat(600)}${separator}{}${end}`],
    ['limit', `${begin}a${separator}{"b": ${'['.repeat(600)}`],
    ['truncated', `${begin}a${separator}{"b": "c`],
    ['truncated', `${begin}a${separator}`],
    ['truncated', `${begin}function${separator}pi`],
    ['truncated', `${begin}function${separator}ping\n\`\`\``],
    ['truncated', `${begin}function${separator}ping\n\`\`\`json\n\`\``],
    ['truncated', `${begin}function${separator}ping\n\`\`\`js`],
  ])('%s: what is no call is text: %j', (kind, text) => {
    expect(readEveryWay(parser, text)).toMatchObject({ content: text, toolCalls: [], errors: [{ kind, start: 0 }] });
  });

  test('markers in prose do not hide the call behind them', () => {
    const prose = `${sectionBegin} and ${begin} and ${separator} are tokens. `.repeat(3);
    expect(readCalls(parser, `${prose}${bare('a', '{}')}`)).toEqual({ content: prose.trim(), calls: [['a', {}]] });
  });

  test('eager mode gives the name once, then the arguments as they come', () => {
    for (const text of [fenced('f', '{"a": "one\ntwo", "b": 1}'), bare('f', '{"a": "one\ntwo", "b": 1}')]) {
      const events = eagerEvents(parser, text);
      expect(events.filter((event) => event.type === 'call-start')).toEqual([
        { type: 'call-start', index: 0, id: 'id1', name: 'f' },
      ]);
      const deltas = events.flatMap((event) => (event.type === 'call-arguments' ? [event.delta] : []));
      expect(deltas.join('')).toBe('{"a": "one\\ntwo", "b": 1}');
      expect(deltas.length).toBeGreaterThan(15);
    }
  });

  test('eager mode withdraws a call that breaks', () => {
    const events = eagerEvents(parser, `${begin}a${separator}{"b": x`);
    expect(events.map((event) => event.type).filter((type) => type !== 'content')).toEqual([
      'call-start',
      ...Array.from({ length: '{"b": x'.length }, () => 'call-arguments'),
      'call-abort',
      'error',
    ]);
  });
});

test('each writes its own layout', () => {
  const calls = [
    { name: 'a', arguments: { b: 1 } },
    { name: 'c', arguments: '{}' },
  ];
  expect(deepseekV3.render(calls, { content: 'Now.' })).toBe(
    `Now.${sectionBegin}${fenced('a', '{"b": 1}')}\n${fenced('c', '{}')}${sectionEnd}`,
  );
  expect(deepseekV31.render(calls, { content: 'Now.' })).toBe(
    `Now.${sectionBegin}${bare('a', '{"b": 1}')}${bare('c', '{}')}${sectionEnd}`,
  );
});

test('a name that cannot be read back is not written', () => {
  for (const parser of [deepseekV3, deepseekV31]) {
    expect(parser.canRender([{ name: 'a b', arguments: {} }])).toBe(false);
  }
});
