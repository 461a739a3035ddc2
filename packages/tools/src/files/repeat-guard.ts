import { contentHash, type JsonObject } from '@talaria/core';
import type { ToolCallContext, ToolResult } from '../tool.ts';
import { toolError } from '../tool-result.ts';
import type { ToolStateKey } from '../tool-state.ts';

/** Calls in a row from which on the model is warned. */
const firstWarned = 3;

/** What the last call of a tool that only looks showed, and how often in a row. */
const sameResults: ToolStateKey<{ hash: string; count: number }> = {
  name: 'same-file-results',
  create: () => ({ hash: '', count: 0 }),
};

/** With the policy `block`: the refusal of the fourth same call in a row and of those behind it. */
export function refusalToRepeat({ repeatCount, settings }: ToolCallContext, action: string): ToolResult | undefined {
  if (settings.repeatPolicy !== 'block' || repeatCount <= firstWarned) return undefined;
  const message = `You ${action} ${repeatCount} times in a row. ${advice}`;
  return toolError('blocked', message, { already_read: repeatCount });
}

/**
 * The result, from the third same call in a row on with a warning. That nothing changed is only said where the results
 * were the same: what a program writes meanwhile may well be looked at again.
 */
export function warnOfRepeat(result: JsonObject, context: ToolCallContext, action: string): JsonObject {
  const { repeatCount, settings, state } = context;
  if (settings.repeatPolicy === 'off') return result;
  const same = state.get(sameResults);
  const hash = contentHash(JSON.stringify(result));
  same.count = repeatCount > 1 && same.hash === hash ? same.count + 1 : 1;
  same.hash = hash;
  if (repeatCount < firstWarned) return result;
  const change = same.count >= firstWarned ? ', and it does not change' : '';
  return { ...result, _warning: `You ${action} ${repeatCount} times in a row${change}. ${advice}` };
}

const advice = 'Use what you have, or do something else.';
