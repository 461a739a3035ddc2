import { type ChatMessage, messageText, type ToolCall, truncateText } from '@talaria/core';
import { messageReasoning } from './message-reasoning.ts';
import type { Rollout } from './rollout.ts';

const maxReasoningChars = 300;
const maxArgumentsChars = 200;
const maxResultChars = 500;

/**
 * A rollout as text for a cell of a table: blocks that say what they are, separated by blank lines. Reasoning is cut at
 * 300 characters, arguments at 200, results at 500.
 */
export function rolloutText(rollout: Pick<Rollout, 'messages'>): string {
  return rollout.messages.flatMap(toBlocks).join('\n\n');
}

function toBlocks(message: ChatMessage): string[] {
  const text = messageText(message);
  switch (message.role) {
    case 'system':
      return block('SYSTEM', text);
    case 'user':
      return block('USER', text);
    case 'tool':
      return [`[TOOL RESULT] ${truncateText(text, maxResultChars)}`];
    default:
      return [
        ...block('REASONING', truncateText(messageReasoning(message) ?? '', maxReasoningChars)),
        ...block('ASSISTANT', text),
        ...(message.tool_calls ?? []).map(toCallBlock),
      ];
  }
}

function block(label: string, text: string): string[] {
  return text === '' ? [] : [`[${label}] ${text}`];
}

function toCallBlock(call: ToolCall): string {
  return `[TOOL CALL] ${call.function.name}(${truncateText(call.function.arguments, maxArgumentsChars)})`;
}
