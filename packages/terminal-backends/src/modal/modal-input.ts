import { Writable } from 'node:stream';

/** Bytes of one request: Modal's own client sends a quarter of that at once, a wait per piece. */
const pieceBytes = 1_048_576;

/**
 * Input of a process as a stream of Node. A write is done when the process has taken it; it fails with `EPIPE` where none
 * reads any more, or the process has ended: from then on Modal need not answer.
 */
export function feedInput(target: WritableStream<Uint8Array>, ended: Promise<unknown>): Writable {
  const writer = target.getWriter();
  // A failure is told by the write or the close itself.
  writer.closed.catch(() => undefined);
  const hasEnded = Promise.withResolvers<never>();
  hasEnded.promise.catch(() => undefined);

  async function send(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      await Promise.race([writer.write(bytes.subarray(start, start + pieceBytes)), hasEnded.promise]);
    }
  }

  const input = new Writable({
    write(chunk: Buffer, _encoding, done) {
      send(chunk).then(
        () => done(),
        (error: unknown) => done(brokenPipe(error)),
      );
    },
    // Many small writes go as one.
    writev(chunks: readonly { readonly chunk: Buffer }[], done) {
      send(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(
        () => done(),
        (error: unknown) => done(brokenPipe(error)),
      );
    },
    final(done) {
      // Where the process has ended, there is no end of its input to be told of.
      Promise.race([writer.close(), hasEnded.promise])
        .catch(() => undefined)
        .then(() => done());
    },
  });
  ended.then(() => {
    hasEnded.reject(new Error('The process has ended'));
    input.destroy();
  });
  return input;
}

function brokenPipe(cause: unknown): Error {
  return Object.assign(new Error('The process takes no more input', { cause }), { code: 'EPIPE' });
}
