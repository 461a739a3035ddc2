import { contentHash } from '@talaria/core';
import type { ToolStateKey } from './tool-state.ts';

/** Counts calls that are made again and again without another one in between. */
export interface RepeatTracker {
  /** Notes a call; says how often it was made in a row, this time included. */
  note(key: string): number;
}

/** The tracker of a rollout. */
export const repeatTracker: ToolStateKey<RepeatTracker> = {
  name: 'repeat-tracker',
  create() {
    let lastKey: string | undefined;
    let count = 0;
    return {
      note(key) {
        // Arguments may hold a whole file: only their hash is kept.
        const hash = contentHash(key);
        count = hash === lastKey ? count + 1 : 1;
        lastKey = hash;
        return count;
      },
    };
  },
};
