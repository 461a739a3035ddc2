import { expect, test } from '@jest/globals';
import { hermes } from '../hermes/index.ts';
import { toChatCompletion } from './to-chat-completion.ts';

const head = { model: 'nous-hermes', id: 'chatcmpl-1', created: 1_700_000_000 };
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };

test('calls are written with their text, and are the reason of the end', () => {
  const text = 'Now.\n<tool_call>\n{"name": "run", "arguments": {"command": "ls"}}\n</tool_call>';
  const result = hermes.parse(text, { idFactory: () => 'call_1' });
  const options = { ...head, systemFingerprint: 'fp_1', usage, finishReason: 'length' } as const;
  expect(toChatCompletion({ ...result, reasoning: 'Hm.' }, options)).toEqual({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'nous-hermes',
    system_fingerprint: 'fp_1',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Now.',
          refusal: null,
          reasoning_content: 'Hm.',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'run', arguments: '{"command": "ls"}' } }],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ],
    usage,
  });
});

test('a text has no fields that it does not need', () => {
  const { choices, ...rest } = toChatCompletion(hermes.parse('Hi'), head);
  expect(rest).toEqual({ ...head, object: 'chat.completion' });
  expect(choices).toEqual([
    { index: 0, message: { role: 'assistant', content: 'Hi', refusal: null }, logprobs: null, finish_reason: 'stop' },
  ]);
});

test('a cut text says so', () => {
  const { choices } = toChatCompletion(
    { ...hermes.parse('<tool_call>{"na'), reasoning: null },
    { model: 'm', finishReason: 'length' },
  );
  expect(choices[0]).toMatchObject({ message: { content: '<tool_call>{"na' }, finish_reason: 'length' });
});
