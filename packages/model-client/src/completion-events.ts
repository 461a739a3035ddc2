import type { ChatCompletion, ChatStreamEvent } from './chat-model.ts';

/** Characters per piece of text, where a whole answer is given out as a stream. */
const defaultPieceChars = 16;

/** A whole answer as the events of a stream: reasoning, text, calls, end. */
export function* completionEvents(
  completion: ChatCompletion,
  pieceChars: number = defaultPieceChars,
): Generator<ChatStreamEvent> {
  const { content, reasoning_content = '', tool_calls = [] } = completion.message;
  for (const text of cutText(reasoning_content, pieceChars)) yield { type: 'reasoning-delta', text };
  for (const text of cutText(content ?? '', pieceChars)) yield { type: 'text-delta', text };
  for (const [index, call] of tool_calls.entries()) {
    yield { type: 'tool-call-delta', index, id: call.id, name: call.function.name };
    for (const piece of cutText(call.function.arguments, pieceChars)) {
      yield { type: 'tool-call-delta', index, arguments: piece };
    }
  }
  yield { type: 'end', completion };
}

function* cutText(text: string, pieceChars: number): Generator<string> {
  for (let start = 0; start < text.length; start += pieceChars) yield text.slice(start, start + pieceChars);
}
