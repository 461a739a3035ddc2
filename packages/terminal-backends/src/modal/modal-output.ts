import { Readable } from 'node:stream';

/** One output stream of a process, as a stream of Node. */
export interface ModalOutput {
  readonly stream: Readable;
  /** Takes no more of it: the stream ends. */
  discard(): void;
}

/**
 * Follows an output. No more is taken than is read, and a little; a broken connection is resumed by the SDK. Where
 * that fails, the stream is closed without its end.
 */
export function followOutput(source: ReadableStream<Uint8Array>, onFailure: () => void): ModalOutput {
  const reader = source.getReader();
  let isDone = false;

  /** Nobody has to wait for that, and what fails has ended as well. */
  function leave(): void {
    isDone = true;
    reader.cancel().catch(() => undefined);
  }

  async function readNext(): Promise<void> {
    try {
      let next = await reader.read();
      // An empty piece would not make the stream ask for another one.
      while (next.value?.length === 0) next = await reader.read();
      if (isDone) return;
      isDone = next.done;
      stream.push(next.value === undefined ? null : Buffer.from(next.value));
    } catch {
      if (isDone) return;
      isDone = true;
      onFailure();
      stream.destroy();
    }
  }

  const stream: Readable = new Readable({
    read: () => void readNext(),
    destroy(error, done) {
      leave();
      done(error);
    },
  });
  return {
    stream,
    discard() {
      if (isDone) return;
      leave();
      stream.push(null);
    },
  };
}
