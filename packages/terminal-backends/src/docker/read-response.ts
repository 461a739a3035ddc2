import { connect } from 'node:net';
import { dockerError } from './docker-error.ts';

/** An answer of the engine whose body is still on its way. */
export interface EngineResponse {
  readonly status: number;
  /** Large pieces. Fails with the signal's reason, or what the connection fails with. */
  readonly body: AsyncIterable<Buffer>;
  /** Lets go of the connection. To be called whether or not the body was read: until then the engine is at it. */
  readonly close: () => void;
}

const headEnd = Buffer.from('\r\n\r\n');
const maxHeadBytes = 65_536;

/**
 * Asks an engine at a socket for something large. The client's own way takes about twice as much processor time, for it
 * reads small pieces and takes off them what HTTP/1.1 puts around them: this speaks HTTP/1.0, whose body is as it is, up to
 * the end of the connection.
 */
export async function readResponse(
  socketPath: string,
  target: string,
  signal: AbortSignal | undefined,
): Promise<EngineResponse> {
  signal?.throwIfAborted();
  const { pieces, close } = exchange(socketPath, `GET ${target} HTTP/1.0\r\nHost: docker\r\n\r\n`, signal);
  try {
    let head: Buffer = Buffer.alloc(0);
    while (!head.includes(headEnd) && head.length < maxHeadBytes) {
      const next = await pieces.next();
      if (next.done) break;
      head = Buffer.concat([head, next.value]);
    }
    const end = head.indexOf(headEnd);
    const text = head.toString('latin1', 0, Math.max(end, 0));
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1]);
    if (Number.isNaN(status) || /^transfer-encoding:/im.test(text)) throw unreadable();
    return { status, body: bodyOf(head.subarray(end + headEnd.length), pieces), close };
  } catch (error) {
    close();
    throw error;
  }
}

async function* bodyOf(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* rest;
}

function unreadable(): unknown {
  return dockerError(
    'The Docker engine answers in a way that cannot be read',
    { phase: 'transfer', started: true },
    { code: 'sandbox.failed', hint: 'Look at what stands between this program and the engine.' },
  );
}

const pieceBytes = 1_048_576;
/** Less room than this at the end of a piece is not used. */
const minRoomBytes = 65_536;
/** So many bytes wait to be taken before the engine has to wait. */
const maxWaitingBytes = 4 * pieceBytes;

/** Sends a request and gives what comes back, read straight into large pieces. */
function exchange(
  socketPath: string,
  request: string,
  signal: AbortSignal | undefined,
): { readonly pieces: AsyncGenerator<Buffer>; readonly close: () => void } {
  let piece = Buffer.allocUnsafe(pieceBytes);
  let [start, filled, waitingBytes] = [0, 0, 0];
  const waiting: Buffer[] = [];
  let isOver = false;
  const failures: unknown[] = [];
  let wake: (() => void) | undefined;

  function handOver(): void {
    if (filled > start) {
      waiting.push(piece.subarray(start, filled));
      waitingBytes += filled - start;
      start = filled;
    }
    if (pieceBytes - filled < minRoomBytes) {
      piece = Buffer.allocUnsafe(pieceBytes);
      start = 0;
      filled = 0;
    }
    wake?.();
  }
  function end(): void {
    isOver = true;
    handOver();
  }
  function stop(): void {
    failures.push(signal?.reason);
    socket.destroy();
  }
  const socket = connect({
    path: socketPath,
    onread: {
      buffer: () => piece.subarray(filled),
      callback(byteCount) {
        filled += byteCount;
        // Small pieces only where somebody waits for them.
        if (wake !== undefined || pieceBytes - filled < minRoomBytes) handOver();
        return waitingBytes < maxWaitingBytes;
      },
    },
  });
  socket.once('end', end).once('close', end);
  socket.on('error', (error) => failures.push(error));
  signal?.addEventListener('abort', stop, { once: true });
  socket.write(request);

  async function* take(): AsyncGenerator<Buffer> {
    while (true) {
      if (failures.length > 0) throw failures[0];
      const next = waiting.shift();
      if (next !== undefined) {
        waitingBytes -= next.length;
        if (waitingBytes < maxWaitingBytes) socket.resume();
        yield next;
        continue;
      }
      if (isOver) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      wake = undefined;
    }
  }
  return {
    pieces: take(),
    close() {
      signal?.removeEventListener('abort', stop);
      socket.destroy();
    },
  };
}
