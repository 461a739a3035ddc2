import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { createPolicyFetch, createUrlPolicy, type PolicyFetchOptions } from '../../src/web/index.ts';

/** A server that sends bytes of its own making to whoever asks. */
interface RawServer extends AsyncDisposable {
  readonly url: string;
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
}

async function openRawServer(answer: (socket: Socket) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      server.emit('socket-closed');
    });
    socket.once('data', () => answer(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async idle() {
      while (sockets.size > 0) await once(server, 'socket-closed');
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';
const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;

function ending(...parts: readonly (string | Uint8Array)[]): (socket: Socket) => void {
  return (socket) => socket.end(Buffer.concat(parts.map((part) => Buffer.from(part))));
}

/** Sends the beginning, and then the block again and again until the connection is closed. */
function flooding(beginning: string, block: string | Uint8Array): (socket: Socket) => void {
  return (socket) => {
    const bytes = Buffer.from(block);
    const send = (): void => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.on('drain', send);
    socket.write(beginning);
    send();
  };
}

function fetchFrom(server: RawServer, options: PolicyFetchOptions = {}, signal?: AbortSignal) {
  const policy = createUrlPolicy({ allowPrivateHosts: [new URL(server.url).host] });
  return createPolicyFetch(policy, options)(server.url, { signal });
}

/** A body in chunks of one byte. */
function bytesApart(count: number): string {
  return `${'1\r\na\r\n'.repeat(count)}0\r\n\r\n`;
}

describe('a body', () => {
  test('of many small pieces is read, and no more is kept than its bytes', async () => {
    await using server = await openRawServer(ending(chunked, bytesApart(15_000)));
    const { bytes } = await fetchFrom(server);
    expect(Buffer.from(bytes).equals(Buffer.alloc(15_000, 'a'))).toBe(true);
    await server.idle();
  });

  test('of pieces of every size is what was sent', async () => {
    const pieces = Array.from({ length: 400 }, (_, index) => Buffer.alloc(1 + ((index * 977) % 150_000), index));
    const chunks = pieces.flatMap((piece) => [`${piece.length.toString(16)}\r\n`, piece, '\r\n']);
    await using server = await openRawServer(ending(chunked, ...chunks, '0\r\n\r\n'));
    const { bytes, isTruncated } = await fetchFrom(server, { maxBytes: 40_000_000 });
    expect(isTruncated).toBe(false);
    expect(Buffer.compare(bytes, Buffer.concat(pieces))).toBe(0);
    expect(
      Buffer.compare(
        (await fetchFrom(server, { maxBytes: 100_000 })).bytes,
        Buffer.concat(pieces).subarray(0, 100_000),
      ),
    ).toBe(0);
  });

  test('of absurdly many small pieces is refused', async () => {
    await using server = await openRawServer(flooding(chunked, '1\r\na\r\n'.repeat(1_000)));
    await expect(fetchFrom(server)).rejects.toMatchObject({
      kind: 'network',
      message: 'The answer comes in too many small pieces.',
    });
    await server.idle();
  });

  test('that is decoded to nothing, for ever, is refused', async () => {
    const nothing = Buffer.concat(Array.from({ length: 500 }, () => gzipSync('')));
    await using server = await openRawServer(flooding(`${head}Content-Encoding: gzip\r\n\r\n`, nothing));
    await expect(fetchFrom(server, { maxBytes: 100_000 })).rejects.toMatchObject({ kind: 'too_large' });
    await server.idle();
  });

  const zeros = Buffer.alloc(30_000_000);
  const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };
  test.each([
    ['gzip', gzipSync(zeros)],
    ['gzip, gzip', gzipSync(gzipSync(zeros))],
    ['br', brotliCompressSync(zeros, quickly)],
  ])('that is a bomb of %s is cut at the limit', async (coding, bomb) => {
    const headers = `Content-Encoding: ${coding}\r\nContent-Length: ${bomb.length}\r\n\r\n`;
    await using server = await openRawServer(ending(head, headers, bomb));
    const { bytes, isTruncated } = await fetchFrom(server, { maxBytes: 100_000 });
    expect([bytes.length, isTruncated]).toEqual([100_000, true]);
    await server.idle();
  });

  test.each([
    ['204', 'HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n'],
    ['a length of 0', `${head}Content-Encoding: br\r\nContent-Length: 0\r\n\r\n`],
    ['no chunk', `${head}Content-Encoding: gzip, br\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ])('that is none may name a coding: %s', async (_what, answer) => {
    await using server = await openRawServer(ending(answer));
    expect(await fetchFrom(server)).toMatchObject({ bytes: new Uint8Array(), isTruncated: false });
  });

  test.each([
    ['that ends within its coding', `${head}Content-Encoding: gzip\r\n\r\n`, gzipSync('hello').subarray(0, 8)],
    ['that is not what it names', `${head}Content-Encoding: br\r\n\r\n`, 'plain text'],
    ['shorter than it says', `${head}Content-Length: 20\r\n\r\n`, 'short'],
    ['of two lengths', `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n`, 'ok!'],
    ['of a negative length', `${head}Content-Length: -2\r\n\r\n`, 'ok'],
    ['of chunks without a size', chunked, 'zz\r\nok'],
    ['of a chunk beyond all numbers', chunked, `${'f'.repeat(40)}\r\nok`],
  ])('%s is a failure of the network', async (_what, beginning, body) => {
    await using server = await openRawServer(ending(beginning, body));
    await expect(fetchFrom(server)).rejects.toMatchObject({ kind: 'network' });
    await server.idle();
  });
});

test.each(['HTTP/1.1 099 x', 'HTTP/1.1 000 x'])('a status that is none is told in words: %s', async (line) => {
  await using server = await openRawServer(ending(`${line}\r\nContent-Length: 2\r\n\r\nok`));
  await expect(fetchFrom(server)).rejects.toMatchObject({
    kind: 'network',
    message: expect.stringMatching(/^127\.0\.0\.1:\d+ could not be read: its answer is no HTTP\.$/),
  });
  await server.idle();
});

describe('an answer without an end', () => {
  const line = `x-a: ${'b'.repeat(1_000)}\r\n`;
  test.each([
    ['of headers', flooding(head, line)],
    ['of one header', flooding(`${head}x-a: `, 'a'.repeat(1_000))],
    ['of trailers', flooding(`${chunked}2\r\nok\r\n0\r\n`, line)],
  ])('%s is a failure of the network', async (_what, answer) => {
    await using server = await openRawServer(answer);
    await expect(fetchFrom(server)).rejects.toMatchObject({ kind: 'network' });
    await server.idle();
  });

  test.each([
    ['of what comes before it', flooding('', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
    ['of the size of a chunk', flooding(chunked, '0'.repeat(1_000))],
  ])('%s is left when its time is over', async (_what, answer) => {
    const clock = createManualClock();
    await using server = await openRawServer(answer);
    let isOver = false;
    const fetching = fetchFrom(server, { clock }).finally(() => {
      isOver = true;
    });
    const outcome = expect(fetching).rejects.toMatchObject({ kind: 'timeout' });
    while (!isOver) await clock.advance(15_000);
    await outcome;
    await server.idle();
  });

  test('is left at once by an abort', async () => {
    const reason = new Error('stop');
    const stop = new AbortController();
    await using server = await openRawServer((socket) => {
      flooding(chunked, '0'.repeat(1_000))(socket);
      setImmediate(() => stop.abort(reason));
    });
    await expect(fetchFrom(server, {}, stop.signal)).rejects.toBe(reason);
    await server.idle();
  });
});
