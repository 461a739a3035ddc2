import { expect } from '@jest/globals';
import type { ChatMessage } from '@talaria/core';

/** Every call has an id of its own and is answered, in order, directly after its message; nothing else is answered. */
export function expectValidHistory(messages: readonly ChatMessage[]): void {
  const seen = new Set<string>();
  let expected: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      expect(message.tool_call_id).toBe(expected.shift());
      expect(typeof message.content).toBe('string');
      continue;
    }
    expect(expected).toEqual([]);
    if (message.role !== 'assistant') continue;
    expected = (message.tool_calls ?? []).map((call) => call.id);
    for (const id of expected) {
      expect(id).not.toBe('');
      expect(seen.has(id)).toBe(false);
      seen.add(id);
    }
  }
  expect(expected).toEqual([]);
}
