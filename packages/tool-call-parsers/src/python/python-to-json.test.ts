import { describe, expect, test } from '@jest/globals';
import { thoroughRuns } from '@talaria/testing-services/services';
import fc from 'fast-check';
import { countStringWork } from '../../test/string-work.ts';
import { maximumJsonDepth } from '../json/json-scanner.ts';
import { readWhole, skipSpace } from '../text/reading.ts';
import { pythonToJson } from './python-to-json.ts';
import { readLiteral } from './read-literal.ts';

/** What the reader of streams makes of the same text. */
function readInStream(text: string): string | undefined {
  let json = '';
  return readWhole(text, function* (window) {
    yield* skipSpace(window);
    const fault = yield* readLiteral(window, (part) => {
      json += part;
    });
    return fault === undefined && (yield* skipSpace(window)) === '' ? json : undefined;
  });
}

describe('a text is a literal as a whole', () => {
  test.each([
    [" \t\r\n{'a': (1, 'x')} \n", '{"a": [1, "x"]}'],
    ['""', '""'],
    ['7', '7'],
    ['None', 'null'],
    ['[True,False , null]', '[true,false , null]'],
    [String.raw`["it's", 'say "hi"', '\'"""']`, String.raw`["it's", "say \"hi\"", "'\"\"\""]`],
    [String.raw`['', """""", '''it's ''twice\'''']`, `["", "", "it's ''twice'"]`],
    [String.raw`["\n\t\\\"\u00e9\/", '\x41\'\q\N{DASH}']`, String.raw`["\n\t\\\"\u00e9\\/", "\u0041'\\q\\N{DASH}"]`],
    ["['one \\\n line \\\r\nonly', 'two\nlines']", '["one  line only", "two\\nlines"]'],
    ["['a, b', '(1,)', '[,]', 'None: 1']", '["a, b", "(1,)", "[,]", "None: 1"]'],
    ['((1, 2,), (3,) , ( ), [4 , ],)', '[[1, 2], [3] , [ ], [4  ]]'],
    ["{'a': +1, 'b': -.5, 'c': 5., 'd': 1E+400,}", '{"a": 1, "b": -0.5, "c": 5.0, "d": 1E+400}'],
    ["{1: 'a', -2.50 : 'b', True: 'c', None\n: 'd'}", '{"1": "a", "-2.50" : "b", "true": "c", "null"\n: "d"}'],
    ['[12345678901234567890.10, 0, -0]', '[12345678901234567890.10, 0, -0]'],
    ['{"__proto__": 1}', '{"__proto__": 1}'],
  ])('%j', (text, json) => {
    expect(pythonToJson(text)).toBe(json);
  });

  test.each([
    ...['', ' ', '[1] [2]', '[1', '1,', '[1],', '"""a""""', '\u00a0[1]', '(1)', '("a" "b")', '(1]', '[1)', '(1,]'],
    ...['([1)]', '[,]', '(,)', '( , )', '{,}', '[1,,]', '[1,,2]', '{1, 2}', '{"a"}', '{(1,): 2}', '{"a": }', '{"a":,}'],
    ...[`['a''']`, `['a''', '''b']`, `['a' 'b']`, `b"x"`, `f'x'`, "'", "'''a''", '\\', String.raw`\'a\'`, '\\\n1'],
    ...['1+1', '1 +1', '- 3', '--3', '-+3', '..5', '.', '1j', '[007]', '{007: 1}', '00', '-07.5', 'x.5', '1 .5', 'e+3'],
    ...['Trueish', 'xNone', 'TRUE', 'nan', '-True', '[*a]', 'call(1)', ')', '))((', '# comment', '[1] # comment'],
    ...[String.raw`"\xg0"`, String.raw`"\x4"`, String.raw`"\u12 4"`, '[undefined]', '{a: 1}', '[é]', '1\u00a0'],
  ])('%j is none', (text) => {
    expect(pythonToJson(text)).toBeUndefined();
    expect(readInStream(text)).toBeUndefined();
  });

  test.each([
    [String.raw`'\0\101'`, String.raw`"\u0000A"`],
    [String.raw`'\a\v'`, String.raw`"\u0007\u000b"`],
    [String.raw`'\U0001f600'`, '"😀"'],
    ['1_000', '1000'],
    ['0x10', '16'],
    ['{null: 1}', '{"null": 1}'],
  ])('%s is left to the reader of streams', (text, json) => {
    expect(pythonToJson(text)).toBeUndefined();
    expect(readInStream(text)).toBe(json);
  });

  test('a limit of nesting', () => {
    const nest = (depth: number): string => `${'['.repeat(depth)}(), ()${']'.repeat(depth)}`;
    expect(pythonToJson(nest(maximumJsonDepth - 1))).toBeDefined();
    expect(pythonToJson(nest(maximumJsonDepth))).toBeUndefined();
    expect(pythonToJson(nest(1_000_000))).toBeUndefined();
  });

  test('all that JSON.parse takes is one, but for the escaped slash', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(JSON.parse(pythonToJson(json.replaceAll('\\/', '/')) ?? '')).toEqual(JSON.parse(json));
      }),
      { numRuns: thoroughRuns(1000) },
    );
  });
});

describe('what the reader of streams says is said of the whole text', () => {
  const fragments = [
    ...['[', ']', '(', ')', '{', '}', ',', ':', ' ', '\n', '"', "'", '"""', "'''", '\\', '\\\n', '\\\r\n', '\\x41'],
    ...[
      '\\u00e9',
      '\\n',
      "\\'",
      '\\/',
      '0',
      '1',
      '.',
      '-',
      '+',
      'e5',
      'True',
      'None',
      'null',
      'a',
      'é',
      '😀',
      '\ud83d',
    ],
    ...['\t', '"a": ', "'b',", '1, ', '(1,)', '{"k": [', '-.5', '5.', '\\7', '0x', '_', '\\a', '\\U0001f600'],
  ];
  const soup = fc.array(fc.constantFrom(...fragments), { maxLength: 12 }).map((parts) => parts.join(''));
  const literal = fc.letrec<{ value: string; items: string }>((tie) => ({
    items: fc.array(tie('value'), { maxLength: 3 }).map((values) => values.map((value) => `${value},`).join(' ')),
    value: fc.oneof(
      { maxDepth: 4 },
      soup,
      fc.string({ unit: 'binary' }).map((text) => `'${text.replace(/[\\']/g, '\\$&')}'`),
      fc.constantFrom('None', 'True', '-1.50', '.5', '"a"', "''", '()'),
      tie('items').map((items) => `[${items}]`),
      tie('items').map((items) => `(${items} )`),
      tie('value').map((value) => `{"k": ${value}, 1: ${value}}`),
    ),
  })).value;
  /** Spellings of which the documentation says that they are refused. */
  const rare = /\\[0-7avU]|_|0[xob]|(?:true|false|null)\s*:/i;

  test.each([
    ['anything', soup],
    ['what is nearly a literal', literal],
  ])('%s', (_name, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        const json = pythonToJson(text);
        if (json === undefined && rare.test(text)) return;
        const expected = readInStream(text);
        expect(json && JSON.parse(json)).toEqual(expected && JSON.parse(expected));
      }),
      { numRuns: thoroughRuns(5000) },
    );
  });
});

describe('the work grows with the text and no faster', () => {
  const units = [
    '[',
    ']',
    '(',
    '1,',
    '1',
    '-',
    '+.',
    ' ',
    'None',
    'None ',
    ', ',
    '"',
    "'",
    "'''",
    '\\',
    "'\\'",
    '"a",',
  ];

  test.each(units)('%j', (unit) => {
    for (const lead of ['', '[', "'", '"""']) {
      const work = (length: number): number => {
        const text = (lead + unit.repeat(length)).slice(0, length);
        return countStringWork(() => pythonToJson(text));
      };
      expect(work(64 * 1024) / work(8 * 1024)).toBeLessThan(10);
    }
  });
});
