import type { ChatMessage, JsonObject } from '@talaria/core';
import type { ChatRequest, ReasoningOptions } from '../chat-model.ts';
import type { ReasoningStyle } from './openai-options.ts';

/** What a request's body depends on beside the request. */
export interface EncodeOptions {
  readonly model: string;
  readonly isStream: boolean;
  readonly extraBody: JsonObject | undefined;
  readonly reasoningStyle: ReasoningStyle;
  readonly sendsReasoning: boolean;
  /** `temperature` and `top_p` are left out where the model refuses them. */
  readonly sendsSampling: boolean;
  /** `max_completion_tokens` where the older name is refused. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
}

/** Tokens that stand for an effort where an endpoint knows only tokens (spec/environments.md 3.5). */
const tokensOfEffort = {
  none: 1_024,
  minimal: 3_200,
  low: 6_400,
  medium: 16_000,
  high: 25_600,
  xhigh: 30_400,
} as const;

/** The body of a chat request: the request's fields, over them the extra bodies, over these the reasoning fields. */
export function encodeRequest(request: ChatRequest, options: EncodeOptions): Record<string, unknown> {
  const { maxTokensField, model } = options;
  const hasTools = request.tools !== undefined && request.tools.length > 0;
  const merged: Record<string, unknown> = {
    model,
    messages: request.messages.map((message) => encodeMessage(message, options.sendsReasoning)),
    ...(hasTools ? { tools: request.tools } : {}),
    ...(hasTools && request.toolChoice !== undefined ? { tool_choice: encodeToolChoice(request.toolChoice) } : {}),
    ...(options.sendsSampling ? { temperature: request.temperature, top_p: request.topP } : {}),
    [maxTokensField]: request.maxTokens,
    stop: request.stop,
    seed: request.seed,
    ...(options.isStream ? { stream_options: { include_usage: true } } : {}),
    ...options.extraBody,
    ...request.extraBody,
    // Whether it is streamed is decided by which function was called.
    stream: options.isStream ? true : undefined,
  };
  const reasoning = request.reasoning === undefined ? {} : encodeReasoning(request.reasoning, options.reasoningStyle);
  return { ...merged, ...reasoning };
}

function encodeMessage(message: ChatMessage, sendsReasoning: boolean): ChatMessage {
  if (message.role !== 'assistant' || sendsReasoning) return message;
  const { reasoning_content: _text, reasoning_details: _details, ...rest } = message;
  return rest;
}

function encodeToolChoice(choice: NonNullable<ChatRequest['toolChoice']>): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}

function encodeReasoning(reasoning: ReasoningOptions, style: ReasoningStyle): Record<string, unknown> {
  const { effort, maxTokens } = reasoning;
  switch (style) {
    case 'omit':
      return {};
    case 'effort':
      // OpenAI's reasoning models refuse any other temperature.
      return { reasoning_effort: effort ?? 'medium', temperature: 1 };
    case 'budget':
      return { reasoning: { enabled: true, max_tokens: effort === undefined ? maxTokens : tokensOfEffort[effort] } };
    case 'object':
      if (effort === 'none') return { reasoning: { enabled: false } };
      return { reasoning: { enabled: true, ...(effort === undefined ? { max_tokens: maxTokens } : { effort }) } };
  }
}
