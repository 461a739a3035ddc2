export type {
  ChatCompletion,
  ChatCompletionChoice,
  ChatCompletionChunk,
  ChatCompletionChunkChoice,
  ChatCompletionDelta,
  ChatCompletionMessage,
  ChatCompletionUsage,
  ChatFinishReason,
  ChatToolCall,
  ChatToolCallDelta,
} from './chat-completion-wire.ts';
export { type ChunkMapper, type ChunkMapperOptions, createChunkMapper } from './chunk-mapper.ts';
export type { CompletionHeadOptions } from './completion-head.ts';
export { type ChatCompletionOptions, toChatCompletion } from './to-chat-completion.ts';
