import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@talaria/core';
import fc from 'fast-check';
import { extractReasoning, normaliseAssistantMessage, normaliseToolCalls } from './index.ts';

function counter(): (prefix: string) => string {
  let count = 0;
  return (prefix) => {
    count += 1;
    return `${prefix}_new${count}`;
  };
}

describe('normaliseToolCalls', () => {
  test.each([
    ['text as it is', '{"a":1}', '{"a":1}'],
    ['malformed text as it is', '{"a":', '{"a":'],
    ['an object as its JSON', { a: 1 }, '{"a":1}'],
    ['an array as its JSON', [1], '[1]'],
    ['null as nothing', null, ''],
    ['nothing as nothing', undefined, ''],
  ])('writes %s', (_what, sent, expected) => {
    const [call] = normaliseToolCalls([{ id: 'a', function: { name: 'look', arguments: sent } }]);
    expect(call).toEqual({ id: 'a', type: 'function', function: { name: 'look', arguments: expected } });
  });

  test('replaces ids that are missing, empty or taken, and keeps the others', () => {
    const calls = ['a', '', null, undefined, 'a', 7, 'b'].map((id) => ({ id, function: { name: 'look' } }));
    const ids = normaliseToolCalls(calls, { createId: counter() }).map((call) => call.id);
    expect(ids).toEqual(['a', 'call_new1', 'call_new2', 'call_new3', 'call_new4', 'call_new5', 'b']);
  });

  test('survives arguments that are nested deeper than the stack', () => {
    const deep = JSON.parse('['.repeat(1_000_000) + ']'.repeat(1_000_000));
    expect(normaliseToolCalls([{ id: 'a', function: { name: 'look', arguments: deep } }])[0]?.function.arguments).toBe(
      '',
    );
  });

  test('reads calls whose fields stand beside the id', () => {
    const [call] = normaliseToolCalls([{ id: 'a', name: 'look', arguments: { path: '/' } }]);
    expect(call?.function).toEqual({ name: 'look', arguments: '{"path":"/"}' });
  });
});

describe('extractReasoning', () => {
  const details = [
    { type: 'reasoning.text', text: 'one ' },
    { type: 'reasoning.encrypted', data: 'xyz' },
    { type: 'reasoning.text', text: 'two' },
  ];

  test.each<[string, JsonObject, string]>([
    ['reasoning_content first', { reasoning_content: 'A', reasoning: 'B', reasoning_details: details }, 'A'],
    ['reasoning next', { reasoning_content: '', reasoning: 'B', reasoning_details: details }, 'B'],
    ['all texts of reasoning_details last', { reasoning: null, reasoning_details: details }, 'one two'],
    ['nothing where there is none', { content: '<think>no</think>' }, ''],
    ['nothing from fields of another type', { reasoning_content: 5, reasoning: {}, reasoning_details: 'x' }, ''],
  ])('takes %s', (_what, message, expected) => {
    expect(extractReasoning(message).text).toBe(expected);
  });

  test('keeps the details word for word', () => {
    expect(normaliseAssistantMessage({ content: 'x', reasoning_details: details })).toEqual({
      role: 'assistant',
      content: 'x',
      reasoning_content: 'one two',
      reasoning_details: details,
    });
  });
});

describe('normaliseAssistantMessage', () => {
  test('joins content that comes in parts', () => {
    const content = [{ type: 'text', text: 'Hello ' }, { type: 'image' }, { type: 'text', text: 'world' }];
    expect(normaliseAssistantMessage({ content }).content).toBe('Hello world');
  });

  test('never throws, and gives every call an id of its own', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const message = fc.record(
      { content: json, tool_calls: json, reasoning_content: json, reasoning_details: json },
      { requiredKeys: [] },
    );
    const calls = fc.record({
      tool_calls: fc.array(fc.record({ id: fc.constantFrom('a', 'b', '', null), function: json })),
    });
    fc.assert(
      fc.property(fc.oneof(message, calls), (raw) => {
        // Through text, as messages come: what is tried is what JSON can hold.
        const normalised = normaliseAssistantMessage(JSON.parse(JSON.stringify(raw)));
        const ids = (normalised.tool_calls ?? []).map((call) => call.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).not.toContain('');
        // Normalising again changes nothing.
        expect(normaliseAssistantMessage(JSON.parse(JSON.stringify(normalised)))).toEqual(normalised);
      }),
    );
  });
});
