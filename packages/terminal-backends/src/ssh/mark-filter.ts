/** Lets bytes through from a mark on. */
export interface MarkFilter {
  /** What may pass of a chunk; `null` for nothing. */
  feed(chunk: Buffer): Buffer | null;
  /** What was held back although the mark never came; `null` where it came, or where there was nothing. */
  held(): Buffer | null;
}

/** Enough to say what came instead of the mark. */
const maxHeldBytes = 65_536;

/** Creates one. The mark itself does not pass. */
export function createMarkFilter(mark: string): MarkFilter {
  const wanted = Buffer.from(mark);
  let before: Buffer = Buffer.alloc(0);
  let isFound = false;
  return {
    feed(chunk) {
      if (isFound) return chunk;
      const bytes = before.length === 0 ? chunk : Buffer.concat([before, chunk]);
      const at = bytes.indexOf(wanted);
      if (at < 0) {
        // The last bytes, since the mark may have begun in them.
        before = bytes.subarray(-maxHeldBytes);
        return null;
      }
      isFound = true;
      before = Buffer.alloc(0);
      const rest = bytes.subarray(at + wanted.length);
      return rest.length === 0 ? null : rest;
    },
    held: () => (isFound || before.length === 0 ? null : before),
  };
}
