import { ParserError } from '../parser-errors.ts';
import type { AnswerEvent } from '../reasoning/answer-parser.ts';
import type {
  ChatCompletionChunk,
  ChatCompletionDelta,
  ChatCompletionUsage,
  ChatFinishReason,
  ChatToolCallDelta,
} from './chat-completion-wire.ts';
import { type CompletionHeadOptions, createCompletionHead } from './completion-head.ts';

/** Options of {@link createChunkMapper}. */
export interface ChunkMapperOptions extends CompletionHeadOptions {
  /** Which of the request's `n` answers this is. Give the mappers of one response the same `id` and `created`. @default 0 */
  readonly choiceIndex?: number | undefined;
  /** The client set `stream_options.include_usage`: chunks carry `usage: null` until the last. @default false */
  readonly includeUsage?: boolean | undefined;
}

/** Writes the events of one streamed answer as the chunks of a chat completion. */
export interface ChunkMapper {
  /**
   * The chunks for these events, in order. The first of all carries the role. Faults of the text (`error`) have no
   * place on the wire: their text comes as content.
   * @throws ParserError `parser.finished`
   */
  map(events: readonly AnswerEvent[]): readonly ChatCompletionChunk[];
  /**
   * The last chunks: one with the finish reason, and one with the usage where `includeUsage` is set and it is given.
   * @param reason why the engine stopped; the wire says `tool_calls` where a call survived. @default 'stop'
   * @throws ParserError `parser.finished`
   */
  finish(reason?: 'stop' | 'length', usage?: ChatCompletionUsage): readonly ChatCompletionChunk[];
}

/**
 * Makes a mapper for one answer, so that a server can offer tool calls over an engine that gives raw text. With events
 * of commit mode `call`, a client that puts the chunks together has exactly the result of folding the events. Mode
 * `eager` may withdraw a call, and what was sent stays sent: the client keeps a call whose arguments end in the middle,
 * no brace is invented, its text follows as content, and the next call takes a fresh index and a fresh id.
 */
export function createChunkMapper(options: ChunkMapperOptions): ChunkMapper {
  const head = createCompletionHead(options);
  const { choiceIndex = 0, includeUsage = false } = options;
  /** Calls that the client saw begin, that were completed, and that were withdrawn. */
  const calls = { started: 0, completed: 0, withdrawn: 0 };
  const usedIds = new Set<string>();
  let hasRole = false;
  let hasContent = false;
  let isFinished = false;

  function chunk(delta: ChatCompletionDelta, reason: ChatFinishReason | null = null): ChatCompletionChunk {
    return {
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: choiceIndex, delta, logprobs: null, finish_reason: reason }],
      ...(includeUsage ? { usage: null } : {}),
    };
  }

  function toDelta(event: AnswerEvent): ChatCompletionDelta | undefined {
    switch (event.type) {
      case 'content':
        return { content: event.text };
      case 'reasoning':
        return { reasoning_content: event.text };
      case 'call-start':
        calls.started += 1;
        return callDelta({ id: freshId(event.id), type: 'function', function: { name: event.name, arguments: '' } });
      case 'call-arguments':
        return callDelta({ function: { arguments: event.delta } });
      case 'call-end':
        calls.completed += 1;
        return undefined;
      case 'call-abort':
        calls.withdrawn += 1;
        return undefined;
      case 'error':
        return undefined;
    }
  }

  /** The call after a withdrawn one takes its id; on the wire that id is taken. */
  function freshId(id: string): string {
    let fresh = id;
    while (usedIds.has(fresh)) fresh += `_${calls.started - 1}`;
    usedIds.add(fresh);
    return fresh;
  }

  /** The events of a call are contiguous: a piece belongs to the call that was started last. */
  function callDelta(piece: Omit<ChatToolCallDelta, 'index'>): ChatCompletionDelta {
    return { tool_calls: [{ index: calls.started - 1, ...piece }] };
  }

  /** Text makes the message's content a string from the start; where no text comes it stays `null`. */
  function withRole(delta: ChatCompletionDelta): readonly ChatCompletionChunk[] {
    const isFirst = !hasRole;
    hasRole = true;
    if (typeof delta.content === 'string') hasContent = true;
    return isFirst ? [chunk({ role: 'assistant', content: hasContent ? '' : null }), chunk(delta)] : [chunk(delta)];
  }

  /** An answer that says nothing and calls nothing is an empty text. */
  function emptyText(): readonly ChatCompletionChunk[] {
    if (hasContent || calls.completed > 0) return [];
    return [chunk(hasRole ? { content: '' } : { role: 'assistant', content: '' })];
  }

  function checkOpen(): void {
    if (!isFinished) return;
    const hint = 'Make a chunk mapper for each answer.';
    throw new ParserError('The answer was finished already', { code: 'parser.finished', hint });
  }

  return {
    map(events) {
      checkOpen();
      const deltas = events.map(toDelta);
      return deltas.flatMap((delta) => (delta === undefined ? [] : withRole(delta)));
    },
    finish(reason = 'stop', usage) {
      checkOpen();
      isFinished = true;
      const empty = emptyText();
      const last = chunk({}, finishReason(reason, calls));
      if (!(includeUsage && usage)) return [...empty, last];
      return [...empty, last, { ...chunk({}), choices: [], usage }];
    },
  };
}

/** A cut answer with a withdrawn call must not be taken for calls to run: the client may hold half of one. */
function finishReason(
  reason: 'stop' | 'length',
  { completed, withdrawn }: { readonly completed: number; readonly withdrawn: number },
): ChatFinishReason {
  return completed > 0 && !(reason === 'length' && withdrawn > 0) ? 'tool_calls' : reason;
}
