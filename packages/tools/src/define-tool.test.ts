import { describe, expect, test } from '@jest/globals';
import { createSchemaCompiler } from './argument-check.ts';
import { builtinTools } from './builtin-tools.ts';
import { defineTool } from './define-tool.ts';

const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

function define(name: string, schema: object = parameters): unknown {
  return defineTool({ name, description: '', toolset: 'mine', parameters: { ...schema }, execute: () => '' });
}

describe('defineTool', () => {
  test('makes the definition of the wire, and defaults that change the sandbox one call at a time', () => {
    const tool = defineTool<{ text: string }>({
      name: 'shout',
      description: 'Says it louder.',
      toolset: 'mine',
      parameters,
      execute: ({ text }) => text.toUpperCase(),
    });
    expect(tool.definition).toEqual({
      type: 'function',
      function: { name: 'shout', description: 'Says it louder.', parameters },
    });
    expect(tool).toMatchObject({ toolset: 'mine', isParallelSafe: false, sideEffect: 'sandbox' });
  });

  test.each(['', 'has space', 'ünï', 'a'.repeat(65), 'a.b'])('refuses the name %p', (name) => {
    expect(() => define(name)).toThrow(expect.objectContaining({ code: 'task.invalid-tool', name: 'TaskError' }));
  });

  test.each([
    ['no type', { properties: {} }],
    ['another type', { type: 'array' }],
    ['an unknown type within', { type: 'object', properties: { a: { type: 'integr' } } }],
    ['a keyword of the wrong kind', { type: 'object', required: 'text' }],
  ])('refuses a schema with %s', (_case, schema) => {
    expect(() => define('tool', schema)).toThrow(expect.objectContaining({ code: 'task.invalid-tool' }));
  });

  test('accepts schemas that name an older draft, or the same $id twice', () => {
    const compile = createSchemaCompiler();
    const schema = { ...parameters, $schema: 'http://json-schema.org/draft-07/schema#', $id: 'same' };
    expect(compile(schema)({ text: '' })).toBe(true);
    expect(compile({ ...schema })({})).toBe(false);
  });
});

test.each(builtinTools.map((tool) => [tool.definition.function.name, tool] as const))(
  'the built-in tool %s would pass the checks of defineTool',
  (name, tool) => {
    const schema = tool.definition.function.parameters ?? {};
    expect(() => define(name, schema)).not.toThrow();
    expect(tool.definition.function.description?.length).toBeGreaterThan(20);
  },
);
