/** Takes a stream of chunks apart by numbers of bytes. Holds no more than what was asked for and one chunk. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #queue: Buffer[] = [];
  #bufferedBytes = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Bytes that can be taken without waiting. */
  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  /** Waits until so many bytes can be taken; `false` where the stream ends before. */
  async fill(bytes: number): Promise<boolean> {
    while (this.#bufferedBytes < bytes) {
      const next = await this.#chunks.next();
      if (next.done) return false;
      this.#queue.push(next.value);
      this.#bufferedBytes += next.value.length;
    }
    return true;
  }

  /** Takes bytes that are there. Shares memory with the chunk where it can. */
  take(bytes: number): Buffer {
    const [first] = this.#queue;
    if (first !== undefined && first.length > bytes) {
      this.#queue[0] = first.subarray(bytes);
      this.#bufferedBytes -= bytes;
      return first.subarray(0, bytes);
    }
    const parts: Buffer[] = [];
    for (let left = bytes; left > 0; ) {
      const part = this.#queue.shift();
      if (part === undefined) break;
      parts.push(part.subarray(0, left));
      if (part.length > left) this.#queue.unshift(part.subarray(left));
      left -= Math.min(left, part.length);
    }
    this.#bufferedBytes -= bytes;
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }

  /** Drops bytes, those that have not come yet included; `false` where the stream ends before. */
  async skip(bytes: number): Promise<boolean> {
    let left = bytes;
    while (left > this.#bufferedBytes) {
      left -= this.#bufferedBytes;
      this.#queue = [];
      this.#bufferedBytes = 0;
      if (!(await this.fill(1))) return false;
    }
    this.take(left);
    return true;
  }
}
