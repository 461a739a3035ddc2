/** Keeps the first 40 % and the last 60 % of what is appended, in bounded memory, and counts the rest. */
export interface OutputBuffer {
  append(chunk: Uint8Array): void;
  /** Counts bytes that were left out on the way here. What comes after them belongs to the tail. */
  skip(byteCount: number): void;
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
  let isHeadOver = false;
  return {
    append(chunk) {
      const room = isHeadOver ? 0 : headLimit - head.totalBytes;
      if (room > 0) head.append(chunk.subarray(0, room));
      if (room < chunk.length) tail.append(chunk.subarray(Math.max(room, 0)));
    },
    skip(byteCount) {
      isHeadOver = true;
      tail.skip(byteCount);
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
  /** Counts bytes that are not there. What was kept before them goes too, so that no gap is within what is kept. */
  skip(byteCount: number): void;
  /** A copy of the kept bytes from `offset` on (at least {@link ByteRing.startOffset}), at most `maxBytes`. */
  read(offset: number, maxBytes?: number): Uint8Array;
  /** Offset of the first byte that is still kept. */
  readonly startOffset: number;
  /** Bytes appended and skipped so far. */
  readonly totalBytes: number;
}

const firstSize = 4_096;

/** Creates a ring that keeps the last `capacity` bytes; its memory grows with what is appended, up to that. */
export function createByteRing(capacity: number): ByteRing {
  let store = Buffer.alloc(0);
  /** Offset at which the ring began anew. */
  let firstOffset = 0;
  let appendedBytes = 0;

  function grow(neededBytes: number): void {
    if (store.length >= capacity || store.length >= neededBytes) return;
    const larger = Buffer.allocUnsafe(Math.min(capacity, Math.max(firstSize, store.length * 2, neededBytes)));
    // Before the ring is at its capacity nothing has wrapped around, so counts are positions.
    store.copy(larger, 0, 0, appendedBytes);
    store = larger;
  }

  const totalBytes = (): number => firstOffset + appendedBytes;
  const startOffset = (): number => firstOffset + Math.max(0, appendedBytes - capacity);

  return {
    append(chunk) {
      grow(appendedBytes + chunk.length);
      const kept = chunk.subarray(Math.max(0, chunk.length - capacity));
      const position = capacity === 0 ? 0 : (appendedBytes + chunk.length - kept.length) % capacity;
      const beforeWrap = kept.subarray(0, capacity - position);
      store.set(beforeWrap, position);
      store.set(kept.subarray(beforeWrap.length), 0);
      appendedBytes += chunk.length;
    },
    skip(byteCount) {
      firstOffset = totalBytes() + byteCount;
      appendedBytes = 0;
    },
    read(offset, maxBytes = capacity) {
      const from = Math.max(offset, startOffset());
      const length = Math.min(maxBytes, totalBytes() - from);
      if (length <= 0) return Buffer.alloc(0);
      const copy = Buffer.allocUnsafe(length);
      const position = (from - firstOffset) % capacity;
      const copied = store.copy(copy, 0, position, Math.min(store.length, position + length));
      store.copy(copy, copied, 0, length - copied);
      return copy;
    },
    get startOffset() {
      return startOffset();
    },
    get totalBytes() {
      return totalBytes();
    },
  };
}
