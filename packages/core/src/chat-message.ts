import type { JsonObject } from './json.ts';

/**
 * A piece of a message that is not plain text, as OpenAI's chat completions accept it.
 * Field names are those of the wire, since messages are stored, sent and exported as they are.
 */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: string | undefined } }
  | {
      readonly type: 'input_audio';
      readonly input_audio: { readonly data: string; readonly format: string };
    };

/** One call of a tool, as it stands in an assistant message. */
export interface ToolCall {
  /** Unique within its conversation; the tool message that answers it repeats it. */
  readonly id: string;
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    /** The arguments as the model wrote them: JSON text, not yet parsed or checked. */
    readonly arguments: string;
  };
}

/** What the model is told about a tool. */
export interface ToolDefinition {
  readonly type: 'function';
  readonly function: {
    /** `^[a-zA-Z0-9_-]{1,64}$` */
    readonly name: string;
    readonly description?: string | undefined;
    /** JSON Schema of the arguments object. Key order reaches the prompt. */
    readonly parameters?: JsonObject | undefined;
    readonly strict?: boolean | undefined;
  };
}

/** Instructions that stand before the conversation. */
export interface SystemMessage {
  readonly role: 'system';
  readonly content: string | readonly ContentPart[];
}

/** What the user, or the task, says. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: string | readonly ContentPart[];
}

/** What the model answered. */
export interface AssistantMessage {
  readonly role: 'assistant';
  /** Text of the answer. `null` or `''` where the model only called tools. */
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[] | undefined;
  /** The model's reasoning as text, whatever field the provider used for it. */
  readonly reasoning_content?: string | undefined;
  /** The provider's structured reasoning, kept verbatim so that it can be sent back. */
  readonly reasoning_details?: readonly JsonObject[] | undefined;
  readonly refusal?: string | null | undefined;
}

/** The result of one tool call. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly content: string;
}

/** One message of a conversation, in OpenAI's chat-completions spelling. */
export type ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** The text of a message's content: parts that are text are joined by newlines, others are left out. */
export function messageText(message: ChatMessage): string {
  if (message.content === null) return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
