import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { sendAnswer } from './send-answer.ts';

const piece = Buffer.alloc(256 * 1024, 'x');
const pieceCount = 64;

/** Serves one answer of many pieces, and tells after each how many listeners the response has. */
async function serve(listen: (incoming: IncomingMessage) => Promise<void>): Promise<{
  readonly sent: Promise<unknown>;
  readonly listeners: readonly number[];
}> {
  const listeners: number[] = [];
  const { promise: sent, resolve } = Promise.withResolvers<unknown>();
  async function* body(response: ServerResponse): AsyncGenerator<Buffer> {
    for (let index = 0; index < pieceCount; index += 1) {
      yield piece;
      listeners.push(response.listenerCount('close') + response.listenerCount('drain'));
    }
  }
  const server = createServer((_request, response) => {
    resolve(sendAnswer(response, { status: 200, headers: {}, body: Readable.from(body(response)) }).catch(String));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  const [incoming] = await once(get({ host: '127.0.0.1', port: address.port }), 'response');
  await listen(incoming);
  await sent;
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  return { sent, listeners };
}

test('a long answer to a slow client arrives whole and leaves no listeners on the way', async () => {
  let bytes = 0;
  const { sent, listeners } = await serve(async (incoming) => {
    for await (const part of incoming) bytes += part.length;
  });
  expect(await sent).toBeUndefined();
  expect(bytes).toBe(pieceCount * piece.length);
  expect(listeners).toHaveLength(pieceCount);
  expect(Math.max(...listeners)).toBeLessThan(10);
});

test('a client that goes away in the middle ends the sending', async () => {
  const { sent, listeners } = await serve(async (incoming) => {
    await once(incoming, 'readable');
    incoming.destroy();
  });
  expect(await sent).toMatch(/premature close/i);
  expect(listeners.length).toBeLessThan(pieceCount);
});
