import { createHash } from 'node:crypto';
import type { ToolStateKey } from '../tool-state.ts';

/** Most files that are remembered; the oldest are forgotten. */
const maxFiles = 2_000;

/** Hashes of file contents as the task last saw or wrote them. */
export interface FileMemory {
  note(path: string, bytes: Uint8Array): void;
  forget(path: string): void;
  /** Whether the file is known, and differs from what the task saw. */
  isStale(path: string, bytes: Uint8Array): boolean;
}

/** The memory of a rollout. */
export const fileMemory: ToolStateKey<FileMemory> = {
  name: 'file-memory',
  create() {
    const hashes = new Map<string, string>();
    return {
      note(path, bytes) {
        hashes.delete(path);
        hashes.set(path, hashOf(bytes));
        const [oldest] = hashes.keys();
        if (hashes.size > maxFiles && oldest !== undefined) hashes.delete(oldest);
      },
      forget: (path) => void hashes.delete(path),
      isStale(path, bytes) {
        const known = hashes.get(path);
        return known !== undefined && known !== hashOf(bytes);
      },
    };
  },
};

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
