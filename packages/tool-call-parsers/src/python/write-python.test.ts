import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { writeJson } from '../json/write-json.ts';
import { pythonToJson } from './python-to-json.ts';
import { writePython } from './write-python.ts';

describe('JSON is written as Python', () => {
  test.each([
    ['{"a":1,"b":[true,false,null]}', '{"a": 1, "b": [True, False, None]}'],
    [' [ 1 ,\n\t2.50, -0, 1E+400 ] ', '[1, 2.50, -0, 1E+400]'],
    [String.raw`"\u0041\/\u00e9\ud83d\ude00"`, String.raw`"\u0041/\u00e9😀"`],
    [String.raw`"\\ \" \n \t \r \b \f \u0000 \ud83d"`, String.raw`"\\ \" \n \t \r \b \f \u0000 \ud83d"`],
    [String.raw`["\\", "\\\\\"", "true, null:"]`, String.raw`["\\", "\\\\\"", "true, null:"]`],
    ['{}', '{}'],
    ['"true"', '"true"'],
    ['null', 'None'],
  ])('%s', (json, python) => {
    expect(writePython(json)).toBe(python);
  });

  test('and read back the same, digits included', () => {
    const digits = fc.constantFrom('1', '-0', '12345678901234567890', '1.0', '1e5', '-2.50E-3');
    fc.assert(
      fc.property(fc.jsonValue(), digits, fc.string({ unit: 'binary' }), (value, number, text) => {
        const json = `{"number": ${number}, "text": ${JSON.stringify(text)}, "value": ${writeJson(value)}}`;
        expect(pythonToJson(writePython(json))).toBe(json);
      }),
      { numRuns: 2000 },
    );
  });
});
