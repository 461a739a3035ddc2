import { contentHash } from '@talaria/core';

/** Far beyond any time that a limit could really be meant for: 71 years in microseconds. */
const leastMark = 2 ** 51;

/**
 * A number that marks the processes of one sandbox as their limit on uninterrupted real-time work, in microseconds.
 * A process may drop its environment, its session, its folder and its streams; the limits stay with it and with all that
 * it starts, and this one is read by nobody else.
 */
export function limitMarkOf(sandboxId: string): string {
  return String(leastMark + Number.parseInt(contentHash(sandboxId).slice(0, 12), 16));
}

const limitLine = /^Max realtime timeout\s+(\d+)/m;

/** The number that a process bears, by the text of its `/proc/<pid>/limits`; `null` where it bears none. */
export function parseLimitMark(limits: string): string | null {
  const [, value] = limitLine.exec(limits) ?? [];
  return value !== undefined && Number(value) >= leastMark ? value : null;
}
