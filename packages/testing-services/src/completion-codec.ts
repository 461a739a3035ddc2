import type { JsonObject, JsonValue } from '@talaria/core';
import type { AnsweredToolCall, ServerAnswer } from './scripted-answer.ts';

/** Usage that the server reports where an answer names none. */
const defaultUsage: JsonObject = {
  prompt_tokens: 12,
  completion_tokens: 8,
  total_tokens: 20,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

/** The body of a whole `chat.completion`. */
export function encodeCompletion(answer: ServerAnswer, model: string): JsonObject {
  const usage = usageOf(answer);
  return {
    id: 'chatcmpl-scripted',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, message: encodeMessage(answer), finish_reason: finishReasonOf(answer) }],
    ...(usage === null ? {} : { usage }),
    ...answer.body,
  };
}

/** The `chat.completion.chunk` objects of a streamed answer, the last one with the usage. */
export function encodeChunks(answer: ServerAnswer, model: string): JsonObject[] {
  const { pieceChars = 8 } = answer;
  const deltas: JsonObject[] = [{ role: 'assistant', content: '' }];
  if (answer.reasoning !== undefined && answer.reasoningField !== 'inline') {
    for (const piece of cut(answer.reasoning, pieceChars)) deltas.push(reasoningFields(answer, piece));
  }
  for (const piece of cut(contentOf(answer) ?? '', pieceChars)) deltas.push({ content: piece });
  (answer.toolCalls ?? []).forEach((call, index) => {
    deltas.push(...toolCallDeltas(call, index, pieceChars));
  });
  const usage = usageOf(answer);
  const chunk = (choices: readonly JsonObject[], fields: JsonObject = {}): JsonObject => ({
    id: 'chatcmpl-scripted',
    object: 'chat.completion.chunk',
    created: 0,
    model,
    choices,
    ...fields,
  });
  return [
    ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: finishReasonOf(answer) }]),
    ...(usage === null ? [] : [chunk([], { usage })]),
  ];
}

function encodeMessage(answer: ServerAnswer): JsonObject {
  return {
    role: 'assistant',
    content: contentOf(answer),
    ...(answer.reasoning === undefined ? {} : reasoningFields(answer, answer.reasoning)),
    ...(answer.toolCalls === undefined
      ? {}
      : { tool_calls: answer.toolCalls.map((call, index) => encodeToolCall(call, index, call.arguments)) }),
    ...answer.message,
  };
}

function contentOf(answer: ServerAnswer): string | null {
  if (answer.reasoningField !== 'inline') return answer.content ?? null;
  return `<think>${answer.reasoning ?? ''}</think>${answer.content ?? ''}`;
}

function reasoningFields(answer: ServerAnswer, text: string): JsonObject {
  switch (answer.reasoningField) {
    case 'inline':
      return {};
    case 'reasoning':
      return { reasoning: text };
    case 'reasoning_details':
      return { reasoning_details: [{ type: 'reasoning.text', index: 0, format: 'scripted', text }] };
    default:
      return { reasoning_content: text };
  }
}

function encodeToolCall(call: AnsweredToolCall, index: number, sent: JsonValue | undefined): JsonObject {
  const id = call.id === undefined ? `call_${index + 1}` : call.id;
  return {
    ...(id === null ? {} : { id }),
    type: 'function',
    function: { name: call.name, ...(sent === undefined ? {} : { arguments: sent }) },
  };
}

function toolCallDeltas(call: AnsweredToolCall, index: number, pieceChars: number): JsonObject[] {
  const sent = call.arguments;
  const isText = typeof sent === 'string';
  const first = encodeToolCall(call, index, isText ? '' : sent);
  const rest = isText ? cut(sent, pieceChars) : [];
  return [
    { tool_calls: [{ index, ...first }] },
    ...rest.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

function finishReasonOf(answer: ServerAnswer): string | null {
  if (answer.finishReason !== undefined) return answer.finishReason;
  return answer.toolCalls !== undefined && answer.toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf(answer: ServerAnswer): JsonObject | null {
  return answer.usage === undefined ? defaultUsage : answer.usage;
}

function cut(text: string, pieceChars: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; start += pieceChars) pieces.push(text.slice(start, start + pieceChars));
  return pieces;
}
