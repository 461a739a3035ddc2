// The shapes of OpenAI's Chat Completions, in the spelling of the wire, as far as they are written here. Lists are
// mutable and absent fields are left out, so that they are assignable to the types of the `openai` package.

/** Why the answer ended. */
export type ChatFinishReason = 'stop' | 'length' | 'tool_calls';

/** How many tokens a request took. */
export interface ChatCompletionUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** A piece of a tool call: `id`, `type` and `name` come with the first piece and never again. */
export interface ChatToolCallDelta {
  /** Position of the call in this response. Pieces with the same index belong together. */
  readonly index: number;
  readonly id?: string;
  readonly type?: 'function';
  readonly function: {
    readonly name?: string;
    /** To be put behind the arguments so far. */
    readonly arguments: string;
  };
}

/** What a chunk adds to the message. */
export interface ChatCompletionDelta {
  /** In the first chunk only. */
  readonly role?: 'assistant';
  readonly content?: string | null;
  /** What the model thinks. No field of OpenAI's, but what servers of open models send. */
  readonly reasoning_content?: string;
  readonly tool_calls?: ChatToolCallDelta[];
}

/** A chunk's part of one choice. */
export interface ChatCompletionChunkChoice {
  readonly index: number;
  readonly delta: ChatCompletionDelta;
  readonly logprobs: null;
  /** In the last chunk of the choice only. */
  readonly finish_reason: ChatFinishReason | null;
}

/** One server-sent event of a streamed chat completion. */
export interface ChatCompletionChunk {
  readonly id: string;
  readonly object: 'chat.completion.chunk';
  /** Unix time in seconds. */
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint?: string;
  /** Empty in the chunk that tells the usage. */
  readonly choices: ChatCompletionChunkChoice[];
  /** `null` until the last chunk, absent where usage was not asked for. */
  readonly usage?: ChatCompletionUsage | null;
}

/** A whole tool call. */
export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A whole answer. */
export interface ChatCompletionMessage {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly refusal: null;
  /** What the model thought. Absent where it did not. */
  readonly reasoning_content?: string;
  /** Absent where there is none. */
  readonly tool_calls?: ChatToolCall[];
}

/** One choice of a chat completion. */
export interface ChatCompletionChoice {
  readonly index: number;
  readonly message: ChatCompletionMessage;
  readonly logprobs: null;
  readonly finish_reason: ChatFinishReason;
}

/** The answer to a request that is not streamed. */
export interface ChatCompletion {
  readonly id: string;
  readonly object: 'chat.completion';
  /** Unix time in seconds. */
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint?: string;
  readonly choices: ChatCompletionChoice[];
  readonly usage?: ChatCompletionUsage;
}
