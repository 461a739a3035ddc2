import type { ParseResult } from '../tool-call-parser.ts';
import type {
  ChatCompletion,
  ChatCompletionMessage,
  ChatCompletionUsage,
  ChatToolCall,
} from './chat-completion-wire.ts';
import { type CompletionHeadOptions, createCompletionHead } from './completion-head.ts';

/** Options of {@link toChatCompletion}. */
export interface ChatCompletionOptions extends CompletionHeadOptions {
  /** Why the engine stopped. The wire says `tool_calls` where there is a call. @default 'stop' */
  readonly finishReason?: 'stop' | 'length' | undefined;
  /** @default absent */
  readonly usage?: ChatCompletionUsage | undefined;
}

/**
 * The answer to a request that is not streamed: what the chunks of `createChunkMapper` add up to, with one choice. The
 * errors of the result have no place on the wire; the text in question is content.
 */
export function toChatCompletion(
  result: ParseResult & { readonly reasoning?: string | null | undefined },
  options: ChatCompletionOptions,
): ChatCompletion {
  const { finishReason = 'stop', usage } = options;
  const hasCalls = result.toolCalls.length > 0;
  return {
    ...createCompletionHead(options),
    object: 'chat.completion',
    choices: [
      { index: 0, message: toMessage(result), logprobs: null, finish_reason: hasCalls ? 'tool_calls' : finishReason },
    ],
    ...(usage === undefined ? {} : { usage }),
  };
}

function toMessage(result: Parameters<typeof toChatCompletion>[0]): ChatCompletionMessage {
  const { content, reasoning, toolCalls } = result;
  const calls = toolCalls.map(
    ({ id, name, arguments: text }): ChatToolCall => ({ id, type: 'function', function: { name, arguments: text } }),
  );
  return {
    role: 'assistant',
    content,
    refusal: null,
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}
