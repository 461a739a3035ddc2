import { describe, expect, test } from '@jest/globals';
import type { ChatRequest } from '../chat-model.ts';
import { type EncodeOptions, encodeRequest } from './encode-request.ts';
import { isReasoningModel } from './openai-options.ts';

const base: EncodeOptions = {
  model: 'm',
  isStream: false,
  extraBody: undefined,
  reasoningStyle: 'object',
  sendsReasoning: true,
  sendsSampling: true,
  maxTokensField: 'max_tokens',
};

const request: ChatRequest = { messages: [{ role: 'user', content: 'hi' }] };

function encode(fields: Partial<ChatRequest>, options: Partial<EncodeOptions> = {}): unknown {
  return JSON.parse(JSON.stringify(encodeRequest({ ...request, ...fields }, { ...base, ...options })));
}

describe('encodeRequest', () => {
  test('sends only what was asked for', () => {
    expect(encode({ tools: [] })).toEqual({ model: 'm', messages: request.messages });
  });

  test('writes every field in the spelling of the wire', () => {
    const tools = [{ type: 'function', function: { name: 'look' } }] as const;
    expect(
      encode(
        { tools, toolChoice: { name: 'look' }, temperature: 0, topP: 0.5, maxTokens: 9, stop: ['x'], seed: 3 },
        { isStream: true },
      ),
    ).toEqual({
      model: 'm',
      messages: request.messages,
      tools,
      tool_choice: { type: 'function', function: { name: 'look' } },
      temperature: 0,
      top_p: 0.5,
      max_tokens: 9,
      stop: ['x'],
      seed: 3,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('leaves sampling out where the model refuses it, unless the extra body asks for it', () => {
    expect(encode({ temperature: 0, topP: 1 }, { sendsSampling: false })).toEqual({
      model: 'm',
      messages: request.messages,
    });
    expect(encode({ temperature: 0, extraBody: { temperature: 1 } }, { sendsSampling: false })).toMatchObject({
      temperature: 1,
    });
  });

  test.each([
    ['gpt-5', true],
    ['gpt-5-mini-2025-08-07', true],
    ['o3', true],
    ['o4-mini', true],
    ['gpt-5-chat-latest', false],
    ['gpt-4.1', false],
    ['gpt-4o', false],
    ['qwen3', false],
  ])('knows whether %s always reasons', (model, expected) => {
    expect(isReasoningModel(model)).toBe(expected);
  });

  test('puts the extra body of the request over that of the model, and both over the rest', () => {
    const body = encode(
      { temperature: 1, extraBody: { top_k: 2, temperature: 0.1, stream: true } },
      { extraBody: { top_k: 1, min_p: 3 } },
    );
    expect(body).toMatchObject({ top_k: 2, min_p: 3, temperature: 0.1 });
    expect(body).not.toHaveProperty('stream');
  });

  test.each([
    ['effort', { effort: 'high', maxTokens: 5 }, { reasoning_effort: 'high', temperature: 1 }],
    ['effort', { maxTokens: 5 }, { reasoning_effort: 'medium', temperature: 1 }],
    ['object', { effort: 'high', maxTokens: 5 }, { reasoning: { enabled: true, effort: 'high' }, temperature: 0.2 }],
    ['object', { maxTokens: 5 }, { reasoning: { enabled: true, max_tokens: 5 }, temperature: 0.2 }],
    ['object', {}, { reasoning: { enabled: true }, temperature: 0.2 }],
    ['object', { effort: 'none' }, { reasoning: { enabled: false }, temperature: 0.2 }],
    ['budget', { effort: 'low' }, { reasoning: { enabled: true, max_tokens: 6_400 }, temperature: 0.2 }],
    ['omit', { effort: 'low' }, { temperature: 0.2 }],
  ] as const)('asks for reasoning in the style "%s"', (reasoningStyle, reasoning, expected) => {
    expect(encode({ reasoning, temperature: 0.2 }, { reasoningStyle })).toEqual({
      model: 'm',
      messages: request.messages,
      ...expected,
    });
  });

  test('asks for reasoning over what the extra body says', () => {
    expect(encode({ reasoning: { effort: 'low' }, extraBody: { reasoning: { effort: 'high' } } })).toMatchObject({
      reasoning: { enabled: true, effort: 'low' },
    });
  });

  test('takes stored reasoning out for endpoints that refuse it, and leaves the messages as they are', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'assistant', content: 'a', reasoning_content: 'r', reasoning_details: [{ type: 'x' }] },
    ];
    expect(encode({ messages }, { sendsReasoning: false })).toMatchObject({
      messages: [{ role: 'assistant', content: 'a' }],
    });
    expect(JSON.stringify(encode({ messages }, { sendsReasoning: false }))).not.toContain('reasoning');
    expect(encode({ messages })).toMatchObject({ messages });
    expect(messages[0]).toHaveProperty('reasoning_content', 'r');
  });
});
