import {
  type AssistantMessage,
  type Clock,
  type CreateId,
  createId as createRandomId,
  messageText,
  raceAbort,
  systemClock,
  TaskError,
  type Usage,
} from '@talaria/core';
import type { ChatCallOptions, ChatCompletion, ChatModel, ChatRequest } from '../chat-model.ts';
import { closedError } from '../closed-error.ts';
import { completionEvents } from '../completion-events.ts';
import { costOf, type PriceTable } from '../price-table.ts';
import type { Script, ScriptedTurn } from './scripted-turn.ts';

/** Options of {@link scriptedModel}. */
export interface ScriptedModelOptions {
  /** @default `scripted` */
  readonly name?: string | undefined;
  /** Measures the delays of turns. @default the real clock */
  readonly clock?: Clock | undefined;
  /** Makes ids for calls that name none. @default random */
  readonly createId?: CreateId | undefined;
  /** Characters per piece of a stream. @default 16 */
  readonly pieceChars?: number | undefined;
  /** Prices by the model's name; without them an answer costs 0, since nobody is paid. */
  readonly prices?: PriceTable | undefined;
  /** Whether `requests` grows; turn it off for runs without end. @default true */
  readonly keepsRequests?: boolean | undefined;
}

/** A model that says what it is told to. */
export interface ScriptedModel extends ChatModel {
  /** What it was asked, in order; each with the messages as they were at that time. */
  readonly requests: readonly ChatRequest[];
}

/**
 * Creates a model that plays a script: a list, one turn per call in the order of the calls, or a function of the request.
 * A call beyond the end of a list throws TaskError `task.script-ended`; one after disposal ModelError `model.closed`.
 */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  const { clock = systemClock, keepsRequests = true, name = 'scripted', pieceChars } = options;
  const requests: ChatRequest[] = [];
  let turnCount = 0;
  let isClosed = false;

  async function complete(request: ChatRequest, callOptions: ChatCallOptions = {}): Promise<ChatCompletion> {
    const { signal } = callOptions;
    signal?.throwIfAborted();
    if (isClosed) throw closedError(name);
    const startedMs = clock.monotonicMs();
    if (keepsRequests) requests.push({ ...request, messages: [...request.messages] });
    const turnIndex = turnCount;
    turnCount += 1;
    const turn = await raceAbort(takeTurn(script, request, turnIndex, name), signal);
    if (turn.delayMs !== undefined && turn.delayMs > 0) await clock.sleep(turn.delayMs, { signal });
    if (turn.error !== undefined) throw turn.error;
    return toCompletion(turn, request, { ...options, name, durationMs: clock.monotonicMs() - startedMs });
  }

  return {
    name,
    requests,
    complete,
    async *stream(request, callOptions = {}) {
      for (const event of completionEvents(await complete(request, callOptions), pieceChars)) {
        callOptions.signal?.throwIfAborted();
        yield event;
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
    },
  };
}

async function takeTurn(script: Script, request: ChatRequest, turnIndex: number, name: string): Promise<ScriptedTurn> {
  if (typeof script === 'function') return script(request, turnIndex);
  const turn = script[turnIndex];
  if (turn !== undefined) return turn;
  throw new TaskError(
    `The script of model "${name}" has ${script.length} turns, and turn ${turnIndex + 1} was asked for`,
    {
      code: 'task.script-ended',
      hint: 'Add turns to the script, or end it with one that calls no tool.',
    },
  );
}

function toCompletion(
  turn: ScriptedTurn,
  request: ChatRequest,
  options: ScriptedModelOptions & { readonly name: string; readonly durationMs: number },
): ChatCompletion {
  const { createId = createRandomId, durationMs, name, prices } = options;
  const message = toMessage(turn, createId);
  const usage = toUsage(turn, request, message);
  const finishReason = turn.finishReason ?? (message.tool_calls === undefined ? 'stop' : 'tool_calls');
  return {
    message,
    finishReason,
    rawFinishReason: finishReason,
    usage,
    costUsd: prices === undefined ? 0 : costOf(usage, name, prices),
    model: name,
    requestId: null,
    attempts: 1,
    durationMs,
  };
}

function toMessage(turn: ScriptedTurn, createId: CreateId): AssistantMessage {
  const calls = turn.toolCalls ?? [];
  return {
    role: 'assistant',
    content: turn.content ?? null,
    ...(turn.reasoning === undefined ? {} : { reasoning_content: turn.reasoning }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            id: call.id ?? createId('call'),
            type: 'function',
            function: {
              name: call.name,
              arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
            },
          })),
        }),
  };
}

/** Characters that count as one token where a turn names no usage. */
const charsPerToken = 4;

function toUsage(turn: ScriptedTurn, request: ChatRequest, message: AssistantMessage): Usage {
  const promptTokens = turn.usage?.promptTokens ?? estimateTokens(request.messages);
  const completionTokens = turn.usage?.completionTokens ?? estimateTokens([message]);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function estimateTokens(messages: ChatRequest['messages']): number {
  let chars = 0;
  for (const message of messages) {
    chars += messageText(message).length;
    if (message.role !== 'assistant') continue;
    chars += message.reasoning_content?.length ?? 0;
    for (const call of message.tool_calls ?? []) chars += call.function.name.length + call.function.arguments.length;
  }
  return Math.ceil(chars / charsPerToken);
}
