/** Keeps the first 40 % and the last 60 % of what is appended, in bounded memory, and counts the rest. */
export interface OutputBuffer {
  append(chunk: Uint8Array): void;
  /** What was kept: head, then tail. */
  bytes(): Uint8Array;
  /** Bytes that were appended but not kept. */
  readonly truncatedBytes: number;
}

/** Creates an empty one that keeps at most `maxBytes`: a natural number, or `Infinity`. */
export function createOutputBuffer(maxBytes: number): OutputBuffer {
  const limit = Math.min(maxBytes, Number.MAX_SAFE_INTEGER);
  const headLimit = Math.floor(limit * 0.4);
  const head = createByteRing(headLimit);
  const tail = createByteRing(limit - headLimit);
  return {
    append(chunk) {
      const room = headLimit - head.totalBytes;
      if (room > 0) head.append(chunk.subarray(0, room));
      if (room < chunk.length) tail.append(chunk.subarray(Math.max(room, 0)));
    },
    bytes: () => Buffer.concat([head.read(0), tail.read(tail.startOffset)]),
    get truncatedBytes() {
      return tail.startOffset;
    },
  };
}

/** The last bytes of a stream, addressed by their offset in the whole of it. */
export interface ByteRing {
  append(chunk: Uint8Array): void;
  /** A copy of the kept bytes from `offset` on (at least {@link ByteRing.startOffset}), at most `maxBytes`. */
  read(offset: number, maxBytes?: number): Uint8Array;
  /** Offset of the first byte that is still kept. */
  readonly startOffset: number;
  /** Bytes appended so far. */
  readonly totalBytes: number;
}

const firstSize = 4_096;

/** Creates a ring that keeps the last `capacity` bytes; its memory grows with what is appended, up to that. */
export function createByteRing(capacity: number): ByteRing {
  let store = Buffer.alloc(0);
  let totalBytes = 0;

  function grow(neededBytes: number): void {
    if (store.length >= capacity || store.length >= neededBytes) return;
    const larger = Buffer.allocUnsafe(Math.min(capacity, Math.max(firstSize, store.length * 2, neededBytes)));
    // Before the ring is at its capacity nothing has wrapped around, so offsets are positions.
    store.copy(larger, 0, 0, totalBytes);
    store = larger;
  }

  function startOffset(): number {
    return Math.max(0, totalBytes - capacity);
  }

  return {
    append(chunk) {
      grow(totalBytes + chunk.length);
      const kept = chunk.subarray(Math.max(0, chunk.length - capacity));
      const position = capacity === 0 ? 0 : (totalBytes + chunk.length - kept.length) % capacity;
      const beforeWrap = kept.subarray(0, capacity - position);
      store.set(beforeWrap, position);
      store.set(kept.subarray(beforeWrap.length), 0);
      totalBytes += chunk.length;
    },
    read(offset, maxBytes = capacity) {
      const from = Math.max(offset, startOffset());
      const length = Math.min(maxBytes, totalBytes - from);
      if (length <= 0) return Buffer.alloc(0);
      const copy = Buffer.allocUnsafe(length);
      const position = from % capacity;
      const copied = store.copy(copy, 0, position, Math.min(store.length, position + length));
      store.copy(copy, copied, 0, length - copied);
      return copy;
    },
    get startOffset() {
      return startOffset();
    },
    get totalBytes() {
      return totalBytes;
    },
  };
}
