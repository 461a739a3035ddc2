import { describe, expect, test } from '@jest/globals';
import { thoroughRuns } from '@talaria/testing-services/services';
import fc from 'fast-check';
import { createValueSchema, type JsonType, unknownValue, type ValueSchema } from './value-schema.ts';

function typesOf(schema: unknown): readonly JsonType[] | undefined {
  const { types } = createValueSchema(schema);
  return types && [...types].sort();
}

describe('the types that a schema allows', () => {
  test.each<[string, unknown, readonly JsonType[] | undefined]>([
    ['one type', { type: 'string' }, ['string']],
    ['several types', { type: ['string', 'null'] }, ['null', 'string']],
    [
      'other names of types',
      { type: ['str', 'int', 'double', 'bool', 'dict', 'list'] },
      ['array', 'boolean', 'integer', 'number', 'object', 'string'],
    ],
    ['capitals', { type: 'STRING' }, ['string']],
    ['a type that is none', { type: 'any' }, undefined],
    ['a type that is none among others', { type: ['string', 'any'] }, undefined],
    ['a type that is no name', { type: { toString: 1 } }, undefined],
    ['no type', {}, undefined],
    ['an empty list of types', { type: [] }, undefined],
    ['const', { const: 1 }, ['integer']],
    ['const null', { const: null }, ['null']],
    ['const before enum', { const: 'a', enum: [1] }, ['string']],
    ['enum', { enum: ['a', null, 1.5, [], {}, true] }, ['array', 'boolean', 'null', 'number', 'object', 'string']],
    ['type before enum', { type: 'string', enum: [1, 2] }, ['string']],
    ['an unknown type with enum', { type: 'any', enum: [1, 2] }, ['integer']],
    ['an empty enum', { enum: [] }, undefined],
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'null' }] }, ['null', 'string']],
    ['oneOf', { oneOf: [{ type: 'integer' }, { const: 'a' }] }, ['integer', 'string']],
    ['anyOf with an unknown branch', { anyOf: [{ type: 'string' }, {}] }, undefined],
    ['anyOf with a branch that allows anything', { anyOf: [{ type: 'string' }, true] }, undefined],
    ['anyOf with a branch that allows nothing', { anyOf: [{ type: 'string' }, false] }, ['string']],
    ['allOf', { allOf: [{ type: ['string', 'null'] }, { type: ['string', 'array'] }] }, ['string']],
    ['allOf beside a type', { type: ['string', 'null'], allOf: [{ type: 'string' }] }, ['string']],
    ['allOf with an unknown branch', { allOf: [{ type: 'string' }, {}] }, ['string']],
    ['allOf that contradicts itself', { allOf: [{ type: 'string' }, { type: 'array' }] }, []],
    ['an integer that is a number', { allOf: [{ type: 'number' }, { type: 'integer' }] }, ['integer']],
    ['nullable', { type: 'string', nullable: true }, ['null', 'string']],
    ['nullable without a type', { nullable: true }, undefined],
    ['a reference', { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, ['string']],
    [
      'a nullable reference',
      { $ref: '#/$defs/a', nullable: true, $defs: { a: { type: 'string' } } },
      ['null', 'string'],
    ],
    ['a reference with escapes', { $ref: '#/$defs/a~1b~0c%20d%', $defs: { 'a/b~c d%': {} } }, undefined],
    ['a reference with a slash', { $ref: '#/$defs/a~1b~0c', $defs: { 'a/b~c': { type: 'null' } } }, ['null']],
    ['a reference with a space', { $ref: '#/$defs/a%20b', $defs: { 'a b': { type: 'null' } } }, ['null']],
    ['a reference into a list', { $ref: '#/anyOf/1', anyOf: [{}, { type: 'null' }] }, ['null']],
    ['a reference to nowhere', { $ref: '#/$defs/a' }, undefined],
    ['a reference to what objects inherit', { $ref: '#/constructor/name' }, undefined],
    ['a reference elsewhere', { $ref: 'https://example.com/a' }, undefined],
    ['a reference that is no text', { $ref: {} }, undefined],
    ['a reference to itself', { $ref: '#' }, undefined],
    ['references in a circle', { anyOf: [{ $ref: '#' }, { type: 'string' }] }, undefined],
    ['everything', true, undefined],
    ['nothing', false, []],
    ['a list', [], undefined],
    ['a text', 'string', undefined],
    ['null', null, undefined],
    ['lists that are none', { type: 1, enum: 'a', anyOf: {}, oneOf: 1, allOf: 'b' }, undefined],
  ])('%s', (_name, schema, types) => {
    expect(typesOf(schema)).toEqual(types);
  });

  test('are a string and nothing else for text', () => {
    expect(createValueSchema({ type: 'string' }).isText).toBe(true);
    expect(createValueSchema({ enum: ['a', 'b'] }).isText).toBe(true);
    expect(createValueSchema({ type: ['string', 'null'] }).isText).toBe(false);
    expect(createValueSchema(false).isText).toBe(false);
    expect(unknownValue.isText).toBe(false);
  });

  test('are followed through 16 references', () => {
    const definitions = Array.from(
      { length: 20 },
      (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }] as const,
    );
    const $defs = { ...Object.fromEntries(definitions), d20: { type: 'string' } };
    expect(typesOf({ $ref: '#/$defs/d5', $defs })).toEqual(['string']);
    expect(typesOf({ $ref: '#/$defs/d4', $defs })).toBeUndefined();
  });

  test('do not depend on what was asked before', () => {
    const schema = {
      properties: {
        a: { allOf: [{ $ref: '#/properties/b' }], type: 'string' },
        b: { allOf: [{ $ref: '#/properties/a' }], type: ['string', 'null'] },
      },
    };
    const forwards = createValueSchema(schema);
    const first = [forwards.property('a').types, forwards.property('b').types];
    const backwards = createValueSchema(schema);
    const second = [backwards.property('b').types, backwards.property('a').types];
    expect(second.reverse()).toEqual(first);
  });
});

describe('what a schema says of its parts', () => {
  test('properties, additional ones and items', () => {
    const schema = createValueSchema({
      properties: { a: { type: 'string' }, b: { items: { type: 'integer' } }, c: false },
      additionalProperties: { type: 'boolean' },
    });
    expect(schema.propertyNames).toEqual(['a', 'b', 'c']);
    expect(schema.property('a').isText).toBe(true);
    expect(schema.property('b').item().types).toEqual(new Set(['integer']));
    expect(schema.property('c').types).toEqual(new Set());
    expect(schema.property('d').types).toEqual(new Set(['boolean']));
  });

  test.each([true, false, undefined])('additional properties that are %s say nothing', (additionalProperties) => {
    expect(createValueSchema({ additionalProperties }).property('a')).toMatchObject({
      types: undefined,
      propertyNames: [],
    });
  });

  test('through references and combinations; of several declarations any may hold', () => {
    const schema = createValueSchema({
      $ref: '#/$defs/base',
      anyOf: [
        { properties: { kind: { const: 'a' }, size: { type: 'integer' } } },
        { properties: { kind: { const: 1 } } },
      ],
      $defs: { base: { allOf: [{ properties: { id: { type: 'string' } } }], items: { $ref: '#' } } },
    });
    expect([...schema.propertyNames].sort()).toEqual(['id', 'kind', 'size']);
    expect(schema.property('id').isText).toBe(true);
    expect(schema.property('kind').types).toEqual(new Set(['string', 'integer']));
    expect(schema.item().item().property('size').types).toEqual(new Set(['integer']));
  });

  test('as deep as one goes in a recursive schema', () => {
    const node = { properties: { value: { type: 'integer' }, next: { $ref: '#' }, other: { $ref: '#' } } };
    let schema: ValueSchema = createValueSchema({ anyOf: [node, { ...node }] });
    for (let depth = 0; depth < 500; depth += 1) schema = schema.property(depth % 2 ? 'next' : 'other');
    expect(schema.property('value').types).toEqual(new Set(['integer']));
  });
});

test('what is not declared has one schema, so that names in texts take no memory', () => {
  const schema = createValueSchema({ properties: { a: {} }, additionalProperties: { type: 'integer' } });
  expect(schema.property('b')).toBe(schema.property('c'));
  expect(schema.property('b').types).toEqual(new Set(['integer']));
  expect(unknownValue.property('b')).toBe(unknownValue.property('c'));
  expect(schema.property('additional')).not.toBe(schema.property('a'));
});

describe('hostile schemas', () => {
  test.each<[string, unknown]>([
    ['a type in many references', { anyOf: Array(20_000).fill({ $ref: '#' }) }],
    [
      'references that double',
      Object.fromEntries([...Array(40)].map((_, i) => [`d${i}`, { allOf: Array(40).fill({ $ref: `#/d${i + 1}` }) }])),
    ],
    ['a huge enum', { enum: Array(300_000).fill('a') }],
    ['a wide choice', { anyOf: Array.from({ length: 20_000 }, () => ({ type: 'string' })) }],
  ])('%s', (_name, schema) => {
    const made = createValueSchema({ ...Object(schema), properties: { a: schema } });
    for (let count = 0; count < 1000; count += 1) made.property('a').property('b');
    expect(made.propertyNames).toEqual(['a']);
  });

  test('one that is nested very deeply', () => {
    let json = '{"type": "string"}';
    for (let depth = 0; depth < 5000; depth += 1) json = `{"anyOf": [${json}]}`;
    expect(typesOf(JSON.parse(json))).toBeUndefined();
    expect(createValueSchema(JSON.parse(json)).property('a').types).toBeUndefined();
  });

  test('any JSON with the keywords in it', () => {
    const keyword = fc.constantFrom(
      'type',
      'enum',
      'const',
      'anyOf',
      'oneOf',
      'allOf',
      '$ref',
      'properties',
      'items',
      'nullable',
      'additionalProperties',
      'a',
    );
    const { value } = fc.letrec((tie) => ({
      leaf: fc.constantFrom('string', 'null', '#', '#/anyOf/0', '#/properties/a', '#/a/a', 1, null, true, false, 'a'),
      object: fc.dictionary(keyword, tie('value'), { maxKeys: 5 }),
      list: fc.array(tie('value'), { maxLength: 4 }),
      value: fc.oneof({ maxDepth: 5 }, tie('leaf'), tie('object'), tie('list')),
    }));
    fc.assert(
      fc.property(value, (schema) => {
        const made = createValueSchema(schema);
        for (const part of [made, made.property('a'), made.item(), made.property('a').item().property('a')]) {
          expect(part.isText).toBe(part.types?.size === 1 && part.types.has('string'));
        }
      }),
      { numRuns: thoroughRuns(3000) },
    );
  });
});
