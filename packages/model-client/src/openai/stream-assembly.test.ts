import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@talaria/core';
import fc from 'fast-check';
import { normaliseAssistantMessage } from '../normalise-message.ts';
import { AnswerProblem } from './answer-problem.ts';
import { type ChatDelta, createStreamAssembly } from './stream-assembly.ts';

function assemble(deltas: readonly JsonObject[], finishReason: string | null = 'stop') {
  const assembly = createStreamAssembly();
  const events: ChatDelta[] = [];
  for (const delta of deltas) {
    const data = JSON.stringify({ choices: [{ delta }] });
    for (const event of assembly.add({ data, isComplete: true })) events.push(event);
  }
  assembly.add({ data: JSON.stringify({ choices: [{ delta: {}, finish_reason: finishReason }] }), isComplete: true });
  return { events, answer: assembly.finish() };
}

function callsOf(deltas: readonly JsonObject[]): unknown {
  const { answer } = assemble(deltas);
  return normaliseAssistantMessage(answer.message, { createId: () => 'new' }).tool_calls?.map((call) => [
    call.id,
    call.function.name,
    call.function.arguments,
  ]);
}

const call = (fields: JsonObject): JsonObject => ({ tool_calls: [fields] });

describe('createStreamAssembly', () => {
  test('joins the pieces of parallel calls by their index', () => {
    const calls = callsOf([
      call({ index: 0, id: 'a', function: { name: 'look', arguments: '' } }),
      call({ index: 1, id: 'b', function: { name: 'list', arguments: '{' } }),
      call({ index: 0, function: { arguments: '{"x"' } }),
      call({ index: 1, function: { arguments: '}' } }),
      call({ index: 0, function: { arguments: ':1}' } }),
    ]);
    expect(calls).toEqual([
      ['a', 'look', '{"x":1}'],
      ['b', 'list', '{}'],
    ]);
  });

  test('tells apart calls that a server all numbers 0, or not at all', () => {
    for (const index of [0, undefined]) {
      const calls = callsOf([
        call({ index, id: 'a', function: { name: 'look', arguments: '{}' } }),
        call({ index, id: 'b', function: { name: 'look', arguments: '{"x"' } }),
        call({ index, function: { arguments: ':1}' } }),
      ]);
      expect(calls).toEqual([
        ['a', 'look', '{}'],
        ['b', 'look', '{"x":1}'],
      ]);
    }
  });

  test('does not double a name or an id that every piece repeats', () => {
    const calls = callsOf([
      call({ index: 0, id: 'a', function: { name: 'look', arguments: '{' } }),
      call({ index: 0, id: 'a', function: { name: 'look', arguments: '}' } }),
    ]);
    expect(calls).toEqual([['a', 'look', '{}']]);
  });

  test('accepts arguments as an object, as null, and not at all', () => {
    expect(callsOf([call({ index: 0, function: { name: 'look', arguments: { a: 1 } } })])).toEqual([
      ['new', 'look', '{"a":1}'],
    ]);
    expect(callsOf([call({ index: 0, function: { name: 'look', arguments: null } })])).toEqual([['new', 'look', '']]);
    expect(callsOf([call({ index: 0, function: { name: 'look' } })])).toEqual([['new', 'look', '']]);
  });

  test('joins reasoning of whatever field, and merges its details', () => {
    const { answer, events } = assemble([
      { reasoning: 'I ', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'I ', signature: null }] },
      { reasoning: 'see', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'see', signature: 's' }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'xyz' }] },
      { content: 'Yes' },
    ]);
    expect(events).toEqual([
      { type: 'reasoning-delta', text: 'I ' },
      { type: 'reasoning-delta', text: 'see' },
      { type: 'text-delta', text: 'Yes' },
    ]);
    expect(normaliseAssistantMessage(answer.message)).toEqual({
      role: 'assistant',
      content: 'Yes',
      reasoning_content: 'I see',
      reasoning_details: [
        { type: 'reasoning.text', index: 0, text: 'I see', signature: 's' },
        { type: 'reasoning.encrypted', index: 1, data: 'xyz' },
      ],
    });
  });

  test('takes one piece with an endless number of entries', () => {
    // More than a call can have arguments, which is what spreading them would make them.
    const details = Array.from({ length: 150_000 }, (_, index) => ({ index, text: 'x' }));
    const { answer } = assemble([{ tool_calls: details.map(({ index }) => ({ index })), reasoning_details: details }]);
    expect(Array.isArray(answer.message['tool_calls']) && answer.message['tool_calls'].length).toBe(150_000);
  });

  test('is unfinished without a finish reason and without [DONE]', () => {
    expect(() => assemble([{ content: 'x' }], null)).toThrow(AnswerProblem);
  });

  test('fails only by a problem of the answer, whatever is sent', () => {
    const chunk = fc.record(
      {
        choices: fc.array(
          fc.record({ delta: fc.jsonValue({ maxDepth: 4 }), finish_reason: fc.jsonValue() }, { requiredKeys: [] }),
        ),
        usage: fc.jsonValue(),
        model: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const data = fc.oneof(
      chunk.map((value) => JSON.stringify(value)),
      fc.json(),
      fc.string(),
      fc.constant('[DONE]'),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ data, isComplete: fc.boolean() })), (events) => {
        const assembly = createStreamAssembly();
        try {
          for (const event of events) assembly.add(event);
          normaliseAssistantMessage(assembly.finish().message);
        } catch (error) {
          expect(error).toBeInstanceOf(AnswerProblem);
        }
      }),
    );
  });
});
