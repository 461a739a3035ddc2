import { expect, test } from '@jest/globals';
import { cleanInputSchema } from './input-schema.ts';

test.each([
  ['nothing at all', {}, { type: 'object', properties: {} }],
  [
    'required fields that are not there',
    { type: 'object', properties: { a: {} }, required: ['a', 'b', 5] },
    { type: 'object', properties: { a: {} }, required: ['a'] },
  ],
  [
    'alternatives at the root, and those below it',
    { type: 'object', oneOf: [{ required: ['a'] }], properties: { a: { anyOf: [true, { $id: 'x', type: 'null' }] } } },
    { type: 'object', properties: { a: { anyOf: [{}, { type: 'null' }] } } },
  ],
  [
    'lists that do not say what they hold, and tuples of older drafts',
    { type: 'object', properties: { a: { type: 'array' }, b: { type: 'array', items: [{ type: 'string' }] } } },
    {
      type: 'object',
      properties: {
        a: { type: 'array', items: {} },
        b: { type: 'array', prefixItems: [{ type: 'string' }], items: {} },
      },
    },
  ],
  [
    'values, which are no schemas',
    { type: ['object', 'null'], properties: { items: { default: { $id: 'kept' }, enum: [{ 'x-a': 1 }] } }, 'x-a': 1 },
    { type: 'object', properties: { items: { default: { $id: 'kept' }, enum: [{ 'x-a': 1 }] } } },
  ],
  [
    'a reference at the root',
    { $ref: '#/$defs/Args', $defs: { Args: { type: 'object', properties: { a: { $ref: '#/$defs/A' } } }, A: true } },
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' } },
      $defs: { Args: { type: 'object', properties: { a: { $ref: '#/$defs/A' } } }, A: {} },
    },
  ],
])('%s', (_what, schema, expected) => {
  expect(cleanInputSchema(schema)).toEqual(expected);
});

test('a field named __proto__ is a field', () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
  expect(JSON.stringify(cleanInputSchema(schema))).toBe(JSON.stringify(schema));
});

test.each([
  ['no object', { type: 'string' }, 'object'],
  ['too long', { type: 'object', description: 'x'.repeat(100_001) }, 'characters'],
])('what cannot be made into one is told: %s', (_what, schema, message) => {
  expect(() => cleanInputSchema(schema)).toThrow(message);
});
