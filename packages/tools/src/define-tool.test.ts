import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createSchemaCompiler } from './argument-check.ts';
import { builtinTools } from './builtin-tools.ts';
import { defineTool } from './define-tool.ts';
import { createTestDispatcher } from './testing/index.ts';
import { createToolRegistry } from './tool-registry.ts';

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

describe('a tool whose parameters are a schema of zod', () => {
  const roll = defineTool({
    name: 'roll',
    description: 'Rolls dice.',
    toolset: 'games',
    parameters: z.object({
      sides: z.int().min(2).default(6).describe('Sides of each die.'),
      labels: z.array(z.string()).optional(),
      notation: z
        .string()
        .regex(/^d/)
        .transform((text) => text.slice(1))
        .optional(),
    }),
    execute: ({ sides, notation = null }) => ({ sides, notation }),
  });
  const view = createToolRegistry({ tools: [roll] }).view();

  test('tells the model JSON Schema, in the order of the fields', () => {
    const { parameters: told } = roll.definition.function;
    expect(JSON.stringify(told)).toBe(
      '{"type":"object","properties":{"sides":{"default":6,"description":"Sides of each die.","type":"integer","minimum":2},' +
        '"labels":{"type":"array","items":{"type":"string"}},' +
        '"notation":{"type":"string","pattern":"^d"}}}',
    );
  });

  test('gets arguments with defaults filled in and transforms done', async () => {
    await using tools = createTestDispatcher({ view });
    expect(await tools.callJson('roll', { notation: 'd8' })).toEqual({ sides: 6, notation: '8' });
  });

  test('does not run with arguments that do not fit', async () => {
    await using tools = createTestDispatcher({ view });
    expect(await tools.callJson('roll', { sides: 1 })).toMatchObject({ error_kind: 'invalid_args' });
  });

  test('tells what only the schema can check', async () => {
    const tool = defineTool({
      name: 'range',
      description: 'From and to.',
      toolset: 'games',
      parameters: z.object({ from: z.int(), to: z.int() }).refine(({ from, to }) => from < to, 'from must be below to'),
      execute: () => 'ok',
    });
    await using tools = createTestDispatcher({ view: createToolRegistry({ tools: [tool] }).view() });
    expect(await tools.callJson('range', { from: 2, to: 1 })).toEqual({
      error: 'Wrong arguments: The arguments: from must be below to.',
      error_kind: 'invalid_args',
    });
  });

  test('cannot take what JSON has no words for', () => {
    const parameters = z.object({ at: z.date() });
    expect(() => defineTool({ name: 'late', description: '', toolset: 'x', parameters, execute: () => '' })).toThrow(
      expect.objectContaining({ code: 'task.invalid-tool', message: expect.stringContaining('late') }),
    );
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
