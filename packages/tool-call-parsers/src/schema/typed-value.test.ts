import { describe, expect, test } from '@jest/globals';
import { thoroughRuns } from '@talaria/testing-services/services';
import fc from 'fast-check';
import { maximumJsonDepth } from '../json/json-scanner.ts';
import { typeValue } from './typed-value.ts';
import { createValueSchema, unknownValue } from './value-schema.ts';

const noType = {};
const nested = '['.repeat(maximumJsonDepth) + ']'.repeat(maximumJsonDepth);

describe('a raw value becomes what its schema asks for', () => {
  test.each<[string, unknown, string, string]>([
    // Nothing is known.
    ['JSON', noType, '[1,"x"]', '[1,"x"]'],
    ['JSON between white space', noType, ' \n{"a": 1.0}\t', '{"a": 1.0}'],
    ['a number', noType, '12345678901234567890', '12345678901234567890'],
    ['a JSON string', noType, '"12"', '"12"'],
    ['raw control characters in JSON', noType, '["a\tb",\n1]', '["a\\tb",\n1]'],
    ['True', noType, 'True', 'true'],
    ['False', noType, ' False ', 'false'],
    ['None', noType, 'None', 'null'],
    ['other spellings', noType, 'TRUE', '"TRUE"'],
    ['a Python literal', noType, "{'a': 1}", `"{'a': 1}"`],
    ['words', noType, ' plain "words"\n', '" plain \\"words\\"\\n"'],
    ['what is almost JSON', noType, '[1,]', '"[1,]"'],
    ['NaN', noType, 'NaN', '"NaN"'],
    ['a number of Python', noType, '0x10', '"0x10"'],
    ['nothing', noType, '', '""'],
    ['JSON as deep as is allowed', noType, nested, nested],
    ['JSON that is too deep', noType, `[${nested}]`, `"[${nested}]"`],
    // Text.
    ['digits in text', { type: 'string' }, '007', '"007"'],
    ['null in text', { type: 'string' }, 'null', '"null"'],
    ['quotes in text', { type: 'string' }, '"hi"', '"\\"hi\\""'],
    ['white space in text', { type: 'string' }, '  two\n  lines\n', '"  two\\n  lines\\n"'],
    ['half a character in text', { type: 'string' }, '\ud83d', '"\\ud83d"'],
    // Null.
    ['null', { type: ['string', 'null'] }, ' NULL ', 'null'],
    ['none', { type: ['string', 'null'] }, 'None', 'null'],
    ['nil', { type: ['string', 'null'] }, 'nil', '"nil"'],
    ['text that may be null', { type: ['string', 'null'] }, ' nullable ', '" nullable "'],
    ['null where it is not asked for', { type: 'integer' }, 'null', '"null"'],
    // Booleans.
    ['a boolean in capitals', { type: 'boolean' }, 'FALSE', 'false'],
    ['a boolean between white space', { type: 'boolean' }, '\ntrue\n', 'true'],
    ['what is no boolean', { type: 'boolean' }, 'yes', '"yes"'],
    ['a number for a boolean', { type: 'boolean' }, '1', '"1"'],
    // Integers.
    ['an integer', { type: 'integer' }, ' -12 ', '-12'],
    ['a large integer', { type: 'integer' }, '123456789012345678901234567890', '123456789012345678901234567890'],
    ['plus and leading zeros', { type: 'integer' }, '+007', '7'],
    ['zeros', { type: 'integer' }, '000', '0'],
    ['an integer with a point', { type: 'integer' }, '3.00', '3.00'],
    ['a fraction for an integer', { type: 'integer' }, '3.5', '"3.5"'],
    ['an exponent for an integer', { type: 'integer' }, '1e3', '"1e3"'],
    ['a word for an integer', { type: 'integer' }, ' two', '" two"'],
    ['digits of another script', { type: 'integer' }, '٣', '"٣"'],
    ['an underscore', { type: 'integer' }, '1_000', '"1_000"'],
    // Numbers.
    ['a number', { type: 'number' }, '0.2500', '0.2500'],
    ['an integer for a number', { type: 'number' }, '5', '5'],
    ['a number without digits before the point', { type: 'number' }, '-.5', '-0.5'],
    ['a number without digits behind the point', { type: 'number' }, '5.', '5.0'],
    ['an exponent', { type: 'number' }, '+1.5E-3', '1.5E-3'],
    ['a point', { type: 'number' }, '.', '"."'],
    ['infinity', { type: 'number' }, 'Infinity', '"Infinity"'],
    ['a number or text', { type: ['string', 'number'] }, '42', '42'],
    ['a quoted number', { type: ['string', 'number'] }, '"42"', '"\\"42\\""'],
    // Containers.
    ['an object', { type: 'object' }, ' {"a": 1e2}\n', '{"a": 1e2}'],
    ['an array', { type: 'array' }, '[]', '[]'],
    ['the other kind', { type: 'object' }, '[1]', '"[1]"'],
    ['one of two kinds', { type: ['object', 'array'] }, '[1]', '[1]'],
    ['a Python dict', { type: 'object' }, "{'w': 2, 'dash': None}", '{"w": 2, "dash": null}'],
    ['Python tuples', { type: 'array' }, '[(0, 1), (2, 3)]', '[[0, 1], [2, 3]]'],
    ['a Python tuple', { type: 'array' }, '(0, 1)', '[0, 1]'],
    ['a Python dict for an array', { type: 'array' }, "{'a': 1}", `"{'a': 1}"`],
    ['a Python string', { type: 'object' }, "'a'", `"'a'"`],
    ['JSON in a string', { type: 'object' }, '"{\\"a\\": [1]}"', '{"a": [1]}'],
    ['JSON with line feeds in a string', { type: 'object' }, '" {\\n\\"a\\": 1}\\n"', '{\n"a": 1}'],
    ['Python in a string', { type: 'array' }, '"[\'a\', True]"', '["a", true]'],
    [
      'JSON in a string in a string',
      { type: 'object' },
      JSON.stringify(JSON.stringify('{}')),
      JSON.stringify(JSON.stringify(JSON.stringify('{}'))),
    ],
    ['the other kind in a string', { type: 'object' }, '"[1]"', '"\\"[1]\\""'],
    ['text that may be an object', { type: ['object', 'string'] }, 'words', '"words"'],
    ['a number for an object', { type: 'object' }, '1', '"1"'],
    ['null for an object', { type: 'object' }, 'null', '"null"'],
    // Nothing is allowed.
    ['a value that is not allowed', false, '1', '"1"'],
  ])('%s', (_name, schema, raw, json) => {
    expect(typeValue(raw, createValueSchema(schema))).toBe(json);
  });

  test('all types at once: each gets what only it can hold', () => {
    const schema = createValueSchema({ type: ['null', 'boolean', 'integer', 'number', 'object', 'array', 'string'] });
    const values = ['none', 'True', '01', '1.5', '{}', "['a']", 'text'];
    expect(values.map((value) => typeValue(value, schema))).toEqual([
      'null',
      'true',
      '1',
      '1.5',
      '{}',
      '["a"]',
      '"text"',
    ]);
  });
});

describe('for any text', () => {
  const types = fc.subarray(['null', 'boolean', 'integer', 'number', 'object', 'array', 'string', 'any']);
  const raw = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc
      .array(fc.constantFrom(...'{}[]()":\',\\ 0123.-+eE_\n', 'True', 'null', 'None', '"a"', "'b'"), { maxLength: 12 })
      .map((parts) => parts.join('')),
  );

  test('the result is JSON, and either of a type that is asked for or the text itself', () => {
    fc.assert(
      fc.property(types, raw, (type, text) => {
        const value: unknown = JSON.parse(typeValue(text, createValueSchema({ type })));
        if (type.length === 0 || type.includes('any') || value === text) return;
        const found = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
        if (found === 'number' && !type.includes('number'))
          expect(Number.isInteger(value) && type.includes('integer')).toBe(true);
        else expect(type).toContain(found);
      }),
      { numRuns: thoroughRuns(5000) },
    );
  });

  test('JSON without a schema is itself', () => {
    fc.assert(fc.property(fc.json(), (json) => expect(typeValue(json, unknownValue)).toBe(json)));
  });

  test.each(['[', '{"a":', '"', "'", '0', '1', '.', ' ', '(', '\\', '[1,', "['a',", '"\\"'])(
    '%s a million times',
    (unit) => {
      const text = unit.repeat(1_000_000);
      const types = ['null', 'boolean', 'integer', 'number', 'object', 'array'];
      for (const schema of [unknownValue, createValueSchema({ type: types })]) {
        const json = typeValue(text, schema);
        expect(json === JSON.stringify(text) || json.length <= text.length).toBe(true);
      }
    },
  );
});
