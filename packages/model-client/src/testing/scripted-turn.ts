import type { ChatRequest } from '../chat-model.ts';

/** One answer of a scripted model. */
export interface ScriptedTurn {
  readonly content?: string | null | undefined;
  readonly reasoning?: string | undefined;
  readonly toolCalls?:
    | readonly {
        readonly name: string;
        /** An object is written as JSON; text is sent as it is, malformed or not. */
        readonly arguments: Readonly<Record<string, unknown>> | string;
        readonly id?: string | undefined;
      }[]
    | undefined;
  /** @default `tool_calls` where there are calls, else `stop` */
  readonly finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter' | undefined;
  /** @default estimated from the characters */
  readonly usage?: { readonly promptTokens: number; readonly completionTokens: number } | undefined;
  /** Time until it answers, by the clock. @default 0 */
  readonly delayMs?: number | undefined;
  /** Fails with this instead of answering. */
  readonly error?: Error | undefined;
}

/** What a scripted model says: turn by turn, or decided from the request. */
export type Script =
  | readonly ScriptedTurn[]
  | ((request: ChatRequest, turnIndex: number) => ScriptedTurn | Promise<ScriptedTurn>);
