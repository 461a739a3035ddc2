import { isJsonObject, type JsonObject, type JsonValue, parseJson, type Usage } from '@talaria/core';
import type { ChatStreamEvent } from '../chat-model.ts';
import { contentText } from '../normalise-message.ts';
import { extractReasoning } from '../reasoning.ts';
import { AnswerProblem } from './answer-problem.ts';
import { decodeUsage, parseObject, type RawAnswer, textOrNull, throwReportedError } from './decode-answer.ts';
import { mergeReasoningDetails } from './reasoning-details.ts';
import type { ServerSentEvent } from './server-sent-events.ts';
import { createToolCallAssembly } from './tool-call-assembly.ts';

/** A piece of an answer, not the end. */
export type ChatDelta = Exclude<ChatStreamEvent, { readonly type: 'end' }>;

/** Puts a streamed answer together. */
export interface StreamAssembly {
  /** Takes the next event of the stream and gives what it adds. @throws AnswerProblem */
  add(event: ServerSentEvent): readonly ChatDelta[];
  /** Whether `[DONE]` came: nothing that follows counts. */
  readonly isDone: boolean;
  /** Whether the endpoint said why the model stopped: only the usage may still come. */
  readonly hasFinishReason: boolean;
  /** The whole, at the end of the stream. @throws AnswerProblem `unfinished`, `empty` */
  finish(): RawAnswer;
}

/** Starts an empty answer. */
export function createStreamAssembly(): StreamAssembly {
  const contentParts: string[] = [];
  const reasoningParts: string[] = [];
  const refusalParts: string[] = [];
  const details: JsonObject[] = [];
  const calls = createToolCallAssembly();
  let hasChoice = false;
  let isDone = false;
  let rawFinishReason: string | null = null;
  let usage: Usage | null = null;
  let model: string | null = null;

  function addDelta(delta: JsonObject): ChatDelta[] {
    const deltas: ChatDelta[] = [];
    const reasoning = extractReasoning(delta);
    for (const detail of reasoning.details ?? []) details.push(detail);
    if (reasoning.text !== '') {
      reasoningParts.push(reasoning.text);
      deltas.push({ type: 'reasoning-delta', text: reasoning.text });
    }
    const text = contentText(delta['content']) ?? '';
    if (text !== '') {
      contentParts.push(text);
      deltas.push({ type: 'text-delta', text });
    }
    if (typeof delta['refusal'] === 'string') refusalParts.push(delta['refusal']);
    const callDeltas = delta['tool_calls'];
    for (const call of Array.isArray(callDeltas) ? callDeltas : []) {
      if (isJsonObject(call)) deltas.push(calls.add(call));
    }
    return deltas;
  }

  return {
    add(event) {
      if (event.data === '[DONE]') {
        isDone = true;
        return [];
      }
      const chunk = parseChunk(event);
      throwReportedError(chunk, event.data);
      usage = decodeUsage(chunk['usage']) ?? usage;
      model ??= textOrNull(chunk['model']);
      const choice = firstChoice(chunk['choices']);
      if (choice === undefined) return [];
      hasChoice = true;
      rawFinishReason = textOrNull(choice['finish_reason']) ?? rawFinishReason;
      const delta = choice['delta'];
      return isJsonObject(delta) ? addDelta(delta) : [];
    },
    get isDone() {
      return isDone;
    },
    get hasFinishReason() {
      return rawFinishReason !== null;
    },
    finish() {
      if (!isDone && rawFinishReason === null) {
        throw new AnswerProblem({ kind: 'unfinished', detail: 'the stream ended without a finish reason' });
      }
      if (!hasChoice) throw new AnswerProblem({ kind: 'empty', bodyText: '' });
      const message: JsonObject = {
        content: contentParts.length === 0 ? null : contentParts.join(''),
        reasoning_content: reasoningParts.join(''),
        reasoning_details: mergeReasoningDetails(details),
        tool_calls: calls.finish(),
        ...(refusalParts.length === 0 ? {} : { refusal: refusalParts.join('') }),
      };
      return { message, rawFinishReason, usage, model };
    },
  };
}

function parseChunk(event: ServerSentEvent): JsonObject {
  if (!event.isComplete && !parseJson(event.data).ok) {
    throw new AnswerProblem({ kind: 'unfinished', detail: 'the stream ended in the middle of an event' });
  }
  return parseObject(event.data);
}

function firstChoice(choices: JsonValue | undefined): JsonObject | undefined {
  return Array.isArray(choices) ? choices.filter(isJsonObject)[0] : undefined;
}
