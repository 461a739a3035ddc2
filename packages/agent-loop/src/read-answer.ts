import { type AssistantMessage, type CreateId, isJsonObject, parseJson, type ToolCall } from '@talaria/core';
import type { ChatCompletion } from '@talaria/model-client';
import type { ParseError, ToolCallParser, ToolSchema } from '@talaria/tool-call-parsers';
import { freshCallId } from './fresh-call-id.ts';

/** A call of an answer. */
export interface AnsweredCall {
  readonly call: ToolCall;
  /** `false` where the answer was cut inside it: half a command is never run. */
  readonly isComplete: boolean;
  /** Whether it was written as text, and read by the parser. */
  readonly isFromText: boolean;
}

/** An answer, read: what goes into the history and what is to be done. */
export interface Answer {
  readonly completion: ChatCompletion;
  /** As it goes into the history. */
  readonly message: AssistantMessage;
  readonly calls: readonly AnsweredCall[];
  /** Pieces of the text that looked like calls and are none; the first {@link maxParseErrors}. */
  readonly parseErrors: readonly ParseError[];
  /** The text as the model wrote it, where the parser took calls or markup out of it. */
  readonly rawText: string | null;
}

/** A hostile text can hold a fault in every few characters; this many are kept. */
const maxParseErrors = 20;

/** What {@link readAnswer} needs to know. */
export interface ReadAnswerOptions {
  readonly parser: ToolCallParser | null;
  readonly tools: readonly ToolSchema[];
  /** Ids that stand in the history already. */
  readonly usedIds: ReadonlySet<string>;
  readonly createId: CreateId;
}

/** What an answer means for the conversation. */
export type AnswerKind =
  /** At least one call can be run. */
  | 'calls'
  /** The model said what it had to say. */
  | 'final'
  /** Nothing at all. */
  | 'empty'
  /** Only broken calls. */
  | 'malformed'
  /** Cut by the length limit before a call was complete. */
  | 'truncated'
  /** Cut by the provider's content filter. */
  | 'filtered';

/** Reads an answer: finds calls written as text, gives every call an id of its own, and marks calls that were cut. */
export function readAnswer(completion: ChatCompletion, options: ReadAnswerOptions): Answer {
  const { message } = completion;
  const structured = message.tool_calls ?? [];
  const found = structured.length > 0 ? null : parseText(completion, options);
  const calls = withUniqueIds(found?.toolCalls ?? structured, options);
  const isFromText = found !== null && found.toolCalls.length > 0;
  // Without calls, too: some formats wrap plain answers, and servers that keep special tokens leave the last one there.
  const content = (found === null ? message.content : found.content) ?? '';
  return {
    completion,
    message: {
      ...withoutCalls(message),
      content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    calls: calls.map((call, index) => ({
      call,
      isComplete: isFromText || isCompleteCall(call, completion, index === calls.length - 1),
      isFromText,
    })),
    parseErrors: (found?.errors ?? []).slice(0, maxParseErrors),
    rawText: content === (message.content ?? '') ? null : message.content,
  };
}

/** Says what an answer means. */
export function kindOfAnswer(answer: Answer): AnswerKind {
  const { message, completion, calls } = answer;
  if (calls.some((entry) => entry.isComplete)) return 'calls';
  if (completion.finishReason === 'length') return 'truncated';
  if (completion.finishReason === 'content_filter') return 'filtered';
  if (answer.parseErrors.length > 0) return 'malformed';
  const words = [message.content, message.reasoning_content, message.refusal];
  return words.every(isBlank) ? 'empty' : 'final';
}

interface TextCalls {
  readonly content: string | null;
  readonly toolCalls: readonly ToolCall[];
  readonly errors: readonly ParseError[];
}

function parseText(completion: ChatCompletion, options: ReadAnswerOptions): TextCalls | null {
  const { parser, tools, usedIds, createId } = options;
  const text = completion.message.content ?? '';
  if (parser === null || tools.length === 0 || isBlank(text)) return null;
  const { content, toolCalls, errors } = parser.parse(text, {
    tools,
    startIndex: usedIds.size,
    idFactory: () => createId('call'),
    finishReason: isCut(completion) ? 'length' : 'stop',
  });
  return {
    content,
    errors,
    toolCalls: toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
  };
}

function withUniqueIds(calls: readonly ToolCall[], { usedIds, createId }: ReadAnswerOptions): readonly ToolCall[] {
  const taken = new Set<string>();
  const isTaken = (id: string): boolean => id === '' || taken.has(id) || usedIds.has(id);
  return calls.map((call) => {
    const callCount = usedIds.size + taken.size;
    const id = isTaken(call.id) ? freshCallId(call.id, { isTaken, callCount, createId }) : call.id;
    taken.add(id);
    return id === call.id ? call : { ...call, id };
  });
}

function isCompleteCall(call: ToolCall, completion: ChatCompletion, isLast: boolean): boolean {
  if (!isCut(completion)) return true;
  const text = call.function.arguments;
  // Arguments that were never begun: legal for an earlier call (the tool layer judges), cut for the last one.
  if (isBlank(text)) return !isLast;
  const parsed = parseJson(text);
  // A cut number or word can still be JSON (`12` of `123`); only an object shows its own end.
  return parsed.ok && (!isLast || isJsonObject(parsed.value));
}

/** Whether the answer ends where something else than the model ended it. */
function isCut({ finishReason }: ChatCompletion): boolean {
  return finishReason === 'length' || finishReason === 'content_filter';
}

function withoutCalls(message: AssistantMessage): AssistantMessage {
  const { tool_calls: _calls, ...rest } = message;
  return rest;
}

function isBlank(text: string | null | undefined): boolean {
  return text === null || text === undefined || text.trim() === '';
}
