import assert from 'node:assert/strict';
import { isTalariaError } from '@talaria/core';
import type { ChatCompletion } from '../chat-model.ts';
import { type ChatModelContractCase, contractCase, question, richTurn, slowTurn } from './contract-case.ts';
import { joinText, readAll } from './read-stream.ts';

/** The contract of {@link ChatModel}, free of any test runner. */
export const chatModelContract: readonly ChatModelContractCase[] = [
  contractCase('answers with text', { content: 'Hello, wörld 🙂' }, async (model, request) => {
    const completion = await model.complete(request);
    assert.equal(completion.message.role, 'assistant');
    assert.equal(completion.message.content, 'Hello, wörld 🙂');
    assert.equal(completion.message.tool_calls, undefined);
    assert.equal(completion.finishReason, 'stop');
    assert.ok(completion.attempts >= 1);
    assert.ok(completion.durationMs >= 0);
    assert.notEqual(completion.model, '');
  }),
  contractCase('streams the same answer that it completes', richTurn(), async (model, request) => {
    const { completion, events } = await readAll(model, request);
    assert.equal(joinText(events, 'text-delta'), 'The files are:');
    assert.equal(joinText(events, 'reasoning-delta'), 'I should look first.');
    assertRich(completion);
    assert.equal(events.filter((event) => event.type === 'end').length, 1);
    const calls = completion.message.tool_calls ?? [];
    for (const [index, call] of calls.entries()) {
      const deltas = events.filter((event) => event.type === 'tool-call-delta' && event.index === index);
      const field = (name: 'arguments' | 'id' | 'name') =>
        deltas.map((event) => (event.type === 'tool-call-delta' ? (event[name] ?? '') : '')).join('');
      assert.equal(field('arguments'), call.function.arguments);
      assert.equal(field('name'), call.function.name);
      assert.equal(field('id'), call.id);
    }
  }),
  contractCase('completes with reasoning, text and parallel calls', richTurn(), async (model, request) => {
    assertRich(await model.complete(request));
  }),
  contractCase(
    'gives every call an id of its own',
    {
      toolCalls: [
        { name: 'look', arguments: {}, id: 'same' },
        { name: 'look', arguments: {}, id: 'other' },
      ],
    },
    async (model, request) => {
      const { message } = await model.complete(request);
      const ids = (message.tool_calls ?? []).map((call) => call.id);
      assert.equal(ids.length, 2);
      assert.equal(new Set(ids).size, 2);
      assert.ok(ids.every((id) => id !== ''));
    },
  ),
  contractCase(
    'passes malformed arguments on as they are',
    { toolCalls: [{ name: 'look', arguments: '{"path": ' }] },
    async (model, request) => {
      const { message } = await model.complete(request);
      assert.equal(message.tool_calls?.[0]?.function.arguments, '{"path": ');
    },
  ),
  contractCase(
    'tells that an answer was cut',
    { content: 'So long', finishReason: 'length' },
    async (model, request) => {
      const completion = await model.complete(request);
      assert.equal(completion.finishReason, 'length');
      assert.equal(completion.rawFinishReason, 'length');
    },
  ),
  contractCase(
    'reports usage',
    { content: 'Counted', usage: { promptTokens: 11, completionTokens: 7 } },
    async (model, request) => {
      const { usage } = await model.complete(request);
      assert.equal(usage?.prompt_tokens, 11);
      assert.equal(usage?.completion_tokens, 7);
      assert.equal(usage?.total_tokens, 18);
    },
  ),
  contractCase('rejects with the abort reason and stays usable', { content: 'Still here' }, async (model, request) => {
    const reason = new Error('stop');
    const options = { signal: AbortSignal.abort(reason) };
    await assert.rejects(model.complete(request, options), (error) => error === reason);
    await assert.rejects(readAll(model, request, options.signal), (error) => error === reason);
    assert.equal((await model.complete(request)).message.content, 'Still here');
  }),
  contractCase('leaves the request as it was', richTurn(), async (model, request) => {
    const before = JSON.stringify(request);
    await readAll(model, deepFreeze(structuredClone(request)));
    assert.equal(JSON.stringify(request), before);
  }),
  {
    ...contractCase('lets a stream be left early', { content: 'x'.repeat(4_000) }, async (model, request) => {
      for await (const event of model.stream(request)) {
        if (event.type === 'text-delta') break;
      }
      assert.equal((await model.complete(request)).message.content, 'x'.repeat(4_000));
    }),
    turns: [{ content: 'x'.repeat(4_000) }, { content: 'x'.repeat(4_000) }],
    requests: [question(), question()],
  },
  contractCase(
    'refuses calls after disposal, and can be disposed of twice',
    { content: 'Late' },
    async (model, request) => {
      await model[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await assert.rejects(model.complete(request), (error) => isTalariaError(error) && error.code === 'model.closed');
      await assert.rejects(readAll(model, request), (error) => isTalariaError(error) && error.code === 'model.closed');
    },
  ),
  {
    ...contractCase('ends a call under way when it is aborted', slowTurn(), async (model, request) => {
      const reason = new Error('stop');
      const asks = [
        (signal: AbortSignal) => model.complete(request, { signal }),
        (signal: AbortSignal) => readAll(model, request, signal),
      ];
      for (const ask of asks) {
        const controller = new AbortController();
        const call = ask(controller.signal);
        setImmediate(() => controller.abort(reason));
        await assert.rejects(call, (error) => error === reason);
      }
    }),
    turns: [slowTurn(), slowTurn()],
    needsDelay: true,
  },
];

function assertRich(completion: ChatCompletion): void {
  const { message } = completion;
  assert.equal(message.content, 'The files are:');
  assert.equal(message.reasoning_content, 'I should look first.');
  assert.deepEqual(
    message.tool_calls?.map((call) => [call.id, call.type, call.function.name, JSON.parse(call.function.arguments)]),
    [
      ['call_a', 'function', 'look', { path: '/tmp' }],
      ['call_b', 'function', 'look', { path: '/var/ö' }],
    ],
  );
  assert.equal(completion.finishReason, 'tool_calls');
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const entry of Object.values(value)) deepFreeze(entry);
    Object.freeze(value);
  }
  return value;
}
