import { connect, type Socket } from 'node:net';

/** What an engine said to something large that it was sent. */
export interface EngineAnswer {
  readonly status: number;
  readonly text: string;
}

const maxAnswerBytes = 65_536;

/**
 * Sends something large to an engine at a socket, piece by piece. The client's own way puts each piece into others: this
 * writes each as it is, while the next one is read. Where the pieces end before `sizeBytes`, or fail, the engine hears of an
 * early end, and its answer is waited for all the same: after that it writes nothing any more.
 *
 * @throws what the pieces fail with; the error of a connection that broke before the engine answered
 */
export async function sendRequest(
  socketPath: string,
  target: string,
  { sizeBytes, pieces }: { readonly sizeBytes: number; readonly pieces: AsyncIterable<Uint8Array> },
): Promise<EngineAnswer> {
  const socket = connect({ path: socketPath, allowHalfOpen: true });
  try {
    const answer = readAnswer(socket);
    // It is waited for below; until then a failure is no unhandled one.
    answer.catch(() => undefined);
    const head = `PUT ${target} HTTP/1.0\r\nHost: docker\r\nContent-Type: application/x-tar\r\nContent-Length: ${sizeBytes}\r\n\r\n`;
    let sentBytes = 0;
    socket.write(head, 'latin1');
    try {
      for await (const piece of pieces) {
        // The engine may have answered already, and takes nothing any more.
        if (!socket.writable) break;
        sentBytes += piece.length;
        // A piece may be used for other bytes once the next one is asked for.
        await Promise.race([write(socket, piece), answer]);
      }
    } finally {
      if (sentBytes < sizeBytes) {
        socket.end();
        await answer.catch(() => undefined);
      }
    }
    return await answer;
  } finally {
    socket.destroy();
  }
}

/** Waits until the system has taken all bytes. What goes wrong is told by the answer. */
function write(socket: Socket, piece: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    socket.write(piece, () => resolve());
  });
}

/** Everything up to the end of the connection. */
async function readAnswer(socket: Socket): Promise<EngineAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let failure: unknown;
  socket
    .on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes <= maxAnswerBytes) chunks.push(chunk);
    })
    .once('end', resolve)
    .once('close', () => resolve())
    .on('error', (error) => {
      failure = error;
      // What was answered before the connection broke is an answer all the same.
      if (chunks.length === 0) reject(error);
      else resolve();
    });
  await promise;
  const text = Buffer.concat(chunks).toString();
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1];
  if (status !== undefined) return { status: Number(status), text: text.slice(text.indexOf('\r\n\r\n') + 4).trim() };
  throw failure ?? new Error('The connection to the engine ended without an answer');
}
