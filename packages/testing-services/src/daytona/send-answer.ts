import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Answer } from './answer.ts';

/** Bytes of a streamed answer that a cut lets through where it names none. */
const defaultCutBytes = 1000;

/** Sends an answer, waiting while the client is slow. Rejects when the connection closes before the end. */
export async function sendAnswer(response: ServerResponse, answer: Answer): Promise<void> {
  const { status, headers, body } = answer;
  if (Buffer.isBuffer(body)) {
    response.writeHead(status, { ...headers, 'content-length': String(body.length) }).end(body);
    return;
  }
  response.writeHead(status, headers);
  await pipeline(body, response);
}

/** Sends the beginning of an answer and breaks the connection. */
export async function sendCut(response: ServerResponse, answer: Answer, bytes: number | undefined): Promise<void> {
  const { status, headers, body } = answer;
  if (Buffer.isBuffer(body)) {
    response.writeHead(status, { ...headers, 'content-length': String(body.length) });
    await write(response, body.subarray(0, bytes ?? Math.floor(body.length / 2)));
  } else {
    response.writeHead(status, headers);
    let left = bytes ?? defaultCutBytes;
    for await (const piece of body) {
      const part = Buffer.from(piece).subarray(0, left);
      await write(response, part);
      left -= part.length;
      if (left === 0) break;
    }
  }
  response.destroy();
}

/** Resolves when the bytes are with the system, so that closing the connection does not lose them, or the client is gone. */
function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  response.flushHeaders();
  if (bytes.length === 0 || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.write(bytes, () => {
      response.off('close', resolve);
      resolve();
    });
  });
}
