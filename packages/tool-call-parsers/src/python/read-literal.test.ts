import { describe, expect, test } from '@jest/globals';
import { thoroughRuns } from '@talaria/testing-services/services';
import fc from 'fast-check';
import { countStringWork } from '../../test/string-work.ts';
import { maximumJsonDepth } from '../json/json-scanner.ts';
import { createTextWindow } from '../text/text-window.ts';
import { type LiteralFault, readLiteral } from './read-literal.ts';

interface Outcome {
  readonly fault: LiteralFault | undefined;
  readonly json: string;
  /** Where the window stands. */
  readonly position: number;
}

/** Reads a literal whose text comes in these pieces; `onPause` is told how much was written before each pause. */
function read(pieces: readonly string[], onPause: (json: string) => void = () => {}): Outcome {
  const window = createTextWindow();
  let json = '';
  const reading = readLiteral(window, (part) => {
    json += part;
  });
  for (const piece of [...pieces, undefined]) {
    if (piece === undefined) window.isOver = true;
    else window.append(piece);
    const step = reading.next();
    if (step.done) return { fault: step.value, json, position: window.position };
    onPause(json);
  }
  throw new Error('The reading did not end with the text');
}

/** The JSON text of a literal that something follows. */
function jsonOf(literal: string): string | undefined {
  const { fault, json, position } = read([`${literal} ,`]);
  if (fault === undefined) expect(position).toBe(literal.length);
  return fault === undefined ? json : undefined;
}

describe('strings', () => {
  test.each([
    [`"it's"`, `"it's"`],
    [`'say "hi"'`, `"say \\"hi\\""`],
    [`''`, `""`],
    [`""`, `""`],
    [`""""""`, `""`],
    [`'''it's ''twice'' "so"'''`, `"it's ''twice'' \\"so\\""`],
    [`"""a""b"""`, `"a\\"\\"b"`],
    ['"""a\nb"""', `"a\\nb"`],
    ['"a\nb\tc"', `"a\\nb\\tc"`],
    [String.raw`"\a\b\f\n\r\t\v\\\'\""`, String.raw`"\u0007\b\f\n\r\t\u000b\\'\""`],
    [String.raw`'\x41\u00e9\U0001f600'`, `"Aé😀"`],
    [String.raw`'\0\12\101\1012\777\8'`, String.raw`"\u0000\nAA2ǿ\\8"`],
    ['"one \\\n line \\\r\nonly"', `"one  line only"`],
    [String.raw`"C:\data \N{DASH} \é"`, String.raw`"C:\\data \\N{DASH} \\é"`],
    [String.raw`"\ud83d\ude00 \ud83d"`, String.raw`"\ud83d\ude00 \ud83d"`],
    ['"\ud83d"', '"\ud83d"'],
    ['"\\😀"', `"\\\\😀"`],
  ])('%j', (literal, json) => {
    expect(jsonOf(literal)).toBe(json);
  });
});

describe('numbers keep their digits where JSON can have them', () => {
  test.each([
    ['0', '0'],
    ['-3', '-3'],
    ['+3', '3'],
    ['12345678901234567890.10', '12345678901234567890.10'],
    ['-1.5e2', '-1.5e2'],
    ['1E+400', '1E+400'],
    ['.5', '0.5'],
    ['-.5', '-0.5'],
    ['5.', '5.0'],
    ['5.e3', '5.0e3'],
    ['1_000_000', '1000000'],
    ['1_0.0_1', '10.01'],
    ['0x10', '16'],
    ['-0Xff', '-255'],
    ['0x_ffff_ffff_ffff_ffff', '18446744073709551615'],
    [`0b${'1'.repeat(999)}`, (2n ** 999n - 1n).toString()],
    ['0o17', '15'],
    ['+0b101', '5'],
  ])('%s', (literal, json) => {
    expect(jsonOf(literal)).toBe(json);
  });
});

describe('names, containers and keys', () => {
  test.each([
    ['[True, False, None, true, false, null]', '[true, false, null, true, false, null]'],
    ['[]', '[]'],
    ['()', '[]'],
    ['{}', '{}'],
    ['( )', '[]'],
    ['(1,)', '[1]'],
    ['(1,2)', '[1, 2]'],
    ['((1, 2,), (3,),)', '[[1, 2], [3]]'],
    ['[1,]', '[1]'],
    ['{"a":1,}', '{"a": 1}'],
    ["{ 'a' : [ 1 , { 'b' : ( ) } ] }", '{"a": [1, {"b": []}]}'],
    [
      "{1: 'a', -2.50: 'b', 0x10: 'c', True: 'd', None: 'e'}",
      '{"1": "a", "-2.50": "b", "16": "c", "true": "d", "null": "e"}',
    ],
    ['{"__proto__": 1}', '{"__proto__": 1}'],
  ])('%s', (literal, json) => {
    expect(jsonOf(literal)).toBe(json);
  });
});

describe('what is no literal is refused where it stands', () => {
  test.each([
    ['1+1', 0, 'a literal'],
    ['[1 + 1]', 3, ', or ]'],
    ['-  3', 0, 'a literal'],
    ['--3', 0, 'a literal'],
    ['1j', 0, 'a literal'],
    ['[nan]', 1, 'a literal'],
    ['[-inf]', 1, 'a literal'],
    ['007', 0, 'a literal'],
    ['00', 0, 'a literal'],
    ['-07.5', 0, 'a literal'],
    ['1__0', 0, 'a literal'],
    ['1_', 0, 'a literal'],
    ['0b12', 0, 'a literal'],
    ['0x', 0, 'a literal'],
    ['0o8', 0, 'a literal'],
    ['10x1', 0, 'a literal'],
    [`0x${'f'.repeat(1000)}`, 0, 'a literal'],
    ['.', 0, 'a literal'],
    ['...', 0, 'a literal'],
    ['name', 0, 'a literal'],
    ['Trueish', 0, 'a literal'],
    ['constructor', 0, 'a literal'],
    ['[call(1)]', 1, 'a literal'],
    ['[*a]', 1, 'a literal'],
    ['{**a}', 1, 'a literal'],
    ['[é]', 1, 'a literal'],
    [`f'x'`, 0, 'a literal'],
    [`b"x"`, 0, 'a literal'],
    [`['a' 'b']`, 5, ', or ]'],
    [`["a" "b"]`, 5, ', or ]'],
    ['(1)', 2, ','],
    ['("a" "b")', 5, ','],
    ['[,]', 1, 'a literal'],
    ['(,)', 1, 'a literal'],
    ['[1,,2]', 3, 'a literal'],
    ['[1)', 2, ', or ]'],
    ['(1,2]', 4, ', or )'],
    ['{1, 2}', 2, ':'],
    ['{"a"}', 4, ':'],
    ['{"a": }', 6, 'a literal'],
    ['{(1,): 2}', 1, 'a key'],
    ['{"a": 1: 2}', 7, ', or }'],
    [String.raw`"\xg0"`, 1, 'an escape of Python'],
    [String.raw`"\u12 4"`, 1, 'an escape of Python'],
    [String.raw`"\U00110000"`, 1, 'an escape of Python'],
    ['# comment', 0, 'a literal'],
  ])('%s', (text, position, reason) => {
    const outcome = read([`${text} ,`]);
    expect(outcome.position).toBe(position);
    expect(outcome.fault).toEqual({ kind: 'bad-structure', reason });
  });

  test.each([
    '',
    ' ',
    '[',
    '[1',
    '[1,',
    '{',
    '{"a"',
    '{"a":',
    '(',
    '(1',
    '"',
    '"a',
    "'''a''",
    '"\\',
    '"\\x4',
    '"\ud83d',
    '-',
    'Tru',
    '1.5e',
    'name',
  ])('%j is cut', (text) => {
    const outcome = read([text]);
    expect(outcome.fault?.kind).toBe('truncated');
    expect(outcome.position).toBe(text.length);
  });

  test('a limit of nesting', () => {
    expect(read(['['.repeat(maximumJsonDepth) + ']'.repeat(maximumJsonDepth)]).fault).toBeUndefined();
    expect(read(['['.repeat(1_000_000)])).toMatchObject({
      fault: { kind: 'limit', reason: 'nested too deeply' },
      position: maximumJsonDepth,
    });
  });
});

describe('in pieces', () => {
  const fragments = [
    ...[
      '[',
      ']',
      '(',
      ')',
      '{',
      '}',
      ',',
      ':',
      ' ',
      '\n',
      '"',
      "'",
      '"""',
      "'''",
      '\\',
      '\\\n',
      '\\\r\n',
      '\\x',
      '\\u00e',
      '\\U0001f60',
    ],
    ...['\\n', '\\7', '0', '1', '0x', '_', '.', '-', 'e5', 'True', 'None', 'null', 'a', 'é', '😀', '\ud83d', '\ude00'],
    ...['"a": ', "'b',", '1, ', '(1,)', '{"k": [', '"\\""'],
  ];
  const soup = fc.array(fc.constantFrom(...fragments), { maxLength: 16 }).map((parts) => parts.join(''));

  test('the same is written and found as of the whole text, whatever it is', () => {
    fc.assert(
      fc.property(soup, fc.array(fc.nat({ max: 40 })), (text, places) => {
        const whole = read([text]);
        expect(read(text.split(''))).toEqual(whole);
        const cuts = [0, ...places.filter((place) => place < text.length), text.length].sort((a, b) => a - b);
        expect(read(cuts.slice(1).map((to, index) => text.slice(cuts[index], to)))).toEqual(whole);
        if (whole.fault === undefined) expect(() => JSON.parse(whole.json)).not.toThrow();
      }),
      { numRuns: thoroughRuns(5000) },
    );
  });

  test('a string flows, and what ends a literal is not waited for', () => {
    const written: string[] = [];
    const outcome = read(['{"a', 'b": "c', 'd\\', 'n', 'e"', ', "f": 1', '2', '}'], (json) => written.push(json));
    expect(written).toEqual([
      '{"a',
      '{"ab": "c',
      '{"ab": "cd',
      '{"ab": "cd\\n',
      '{"ab": "cd\\ne"',
      '{"ab": "cd\\ne", "f": ',
      '{"ab": "cd\\ne", "f": ',
    ]);
    expect(outcome.json).toBe('{"ab": "cd\\ne", "f": 12}');
  });
});

describe('the work grows with the text and no faster', () => {
  test.each([
    ['open brackets and closed ones', '[', '[],'],
    ['numbers', '[', '1,'],
    ['digits', '', '1'],
    ['zeros', '', '0'],
    ['underscores', '1', '_1'],
    ['digits of another base', '0x', 'f'],
    ['a name', '', 'a'],
    ['signs', '', '-'],
    ['spaces', '', ' '],
    ['plain string', '"', 'word '],
    ['strings', '[', '"a",'],
    ['strings with an escape', '[', '"a\\n",'],
    ['strings with other quotes', '[', `"it's",`],
    ['nothing but quotes', '', '"'],
    ['quotes in a triple string', '"""', '""a'],
    ['other quotes in a string', '"', "'"],
    ['escapes', '"', '\\n'],
    ['unknown escapes', '"', '\\q'],
    ['back-slashes and line ends', '"', '\\\r\n'],
    ['halves of characters', '"', '\ud83d'],
    ['characters beyond U+FFFF', '"', '😀'],
  ])('%s', (_family, lead, unit) => {
    for (const pieceLength of [1, 20]) {
      const work = (length: number): number => {
        const text = (lead + unit.repeat(length)).slice(0, length);
        const pieces = text.match(new RegExp(`[^]{1,${pieceLength}}`, 'g')) ?? [];
        return countStringWork(() => read(pieces));
      };
      expect(work(64 * 1024) / work(8 * 1024)).toBeLessThan(10);
    }
  });
});
