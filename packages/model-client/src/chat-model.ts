import type { AssistantMessage, ChatMessage, JsonObject, ToolDefinition, Usage } from '@talaria/core';

/** How much the model shall think, where it can. */
export interface ReasoningOptions {
  readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | undefined;
  /** Used only where no effort is given. */
  readonly maxTokens?: number | undefined;
}

/** One question to a model. Every call asks for one answer. */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  /** Left out of the request where empty. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly name: string } | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** Most tokens of the answer. @default the provider's */
  readonly maxTokens?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly reasoning?: ReasoningOptions | undefined;
  /** Merged into the body of the request, over everything else but what `reasoning` asks for. */
  readonly extraBody?: JsonObject | undefined;
}

/** Why the model stopped, in OpenAI's words; `unknown` where the provider said nothing that is known. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'unknown';

/** One answer. */
export interface ChatCompletion {
  /**
   * Normalised: `content` is text or null; every call has a unique non-empty id; `arguments` is text, where the provider
   * sent an object its JSON, where it sent null or nothing `''`; reasoning of whatever field is in `reasoning_content`.
   */
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  /** What the provider itself called it. */
  readonly rawFinishReason: string | null;
  /** `null` where the provider reported none. */
  readonly usage: Usage | null;
  /** US dollars; `null` where the price is unknown: never zero for lack of knowledge. */
  readonly costUsd: number | null;
  /** The model that answered, as the provider names it. */
  readonly model: string;
  readonly requestId: string | null;
  /** How often the request was sent until this answer. */
  readonly attempts: number;
  /** From the call to the whole answer, waits included. */
  readonly durationMs: number;
}

/** A piece of an answer that is still being written. The last event is `end`, with the whole. */
export type ChatStreamEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | {
      readonly type: 'tool-call-delta';
      /** Position of the call in the answer. */
      readonly index: number;
      readonly id?: string | undefined;
      readonly name?: string | undefined;
      readonly arguments?: string | undefined;
    }
  | { readonly type: 'end'; readonly completion: ChatCompletion };

/** Options of a call. */
export interface ChatCallOptions {
  /** Closes the request; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Something that answers conversations: a provider, a script, a recording. */
export interface ChatModel extends AsyncDisposable {
  /** Shown in every output and stored in every record. */
  readonly name: string;
  /** @throws ModelError for what retries could not mend */
  complete(request: ChatRequest, options?: ChatCallOptions): Promise<ChatCompletion>;
  /** Like `complete`, piece by piece. Leaving the loop early closes the request. Nothing is retried after the first piece. */
  stream(request: ChatRequest, options?: ChatCallOptions): AsyncIterable<ChatStreamEvent>;
}
