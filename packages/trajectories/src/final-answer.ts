import { type ChatMessage, messageText } from '@talaria/core';

/** Text of the last assistant message that has any; `''` where none has. */
export function finalAnswer(messages: readonly ChatMessage[]): string {
  const last = messages.findLast((message) => message.role === 'assistant' && messageText(message) !== '');
  return last === undefined ? '' : messageText(last);
}

/** Text of the first user message; `''` where there is none. */
export function firstPrompt(messages: readonly ChatMessage[]): string {
  const first = messages.find((message) => message.role === 'user');
  return first === undefined ? '' : messageText(first);
}
