import type { ToolCallContext } from '../tool.ts';

/** Left to a call's own end before the tool's time limit would cut its result off. */
const marginMs = 5_000;

/** How long a call may wait for something and still tell what it saw; `Infinity` where the tool has no time limit. */
export function usableTimeMs({ timeLimitMs }: ToolCallContext): number {
  const limitMs = timeLimitMs ?? Number.POSITIVE_INFINITY;
  return Math.max(limitMs - marginMs, limitMs / 2);
}
