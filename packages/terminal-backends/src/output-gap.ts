import type { Readable } from 'node:stream';

/** Bytes of an output that were left out on the way. */
export interface OutputGap {
  /** How many bytes of the stream come before it. */
  readonly at: number;
  readonly bytes: number;
}

/** Hears an output with what is missing of it, in order. */
export interface OutputListener {
  readonly take: (bytes: Buffer) => void;
  readonly skip: (byteCount: number) => void;
}

/**
 * Reads a stream for a listener. The list of gaps grows while it is read: each one stands there before what follows it is
 * in the stream, and the last ones before its end.
 */
export function hearOutput(stream: Readable, gaps: readonly OutputGap[], listener: OutputListener): void {
  let position = 0;
  let next = 0;
  function skipGaps(): void {
    for (let gap = gaps[next]; gap !== undefined && gap.at <= position; gap = gaps[next]) {
      next += 1;
      listener.skip(gap.bytes);
    }
  }
  stream.on('data', (chunk: Buffer) => {
    let rest = chunk;
    while (rest.length > 0) {
      skipGaps();
      const part = rest.subarray(0, (gaps[next]?.at ?? Number.POSITIVE_INFINITY) - position);
      position += part.length;
      rest = rest.subarray(part.length);
      listener.take(part);
    }
  });
  stream.once('end', skipGaps);
}
