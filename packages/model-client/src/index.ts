export type {
  ChatCallOptions,
  ChatCompletion,
  ChatModel,
  ChatRequest,
  ChatStreamEvent,
  FinishReason,
  ReasoningOptions,
} from './chat-model.ts';
