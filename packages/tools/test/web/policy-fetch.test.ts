import { once } from 'node:events';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createManualClock, type ManualClock } from '@talaria/core/testing';
import {
  createPolicyFetch,
  createUrlPolicy,
  type PolicyFetchOptions,
  type ResolvedAddress,
  type UrlPolicyOptions,
  UrlRefusedError,
  WebError,
} from '../../src/web/index.ts';
import { openTestServer, type Respond, type TestServer } from './open-test-server.ts';

let server: TestServer;
let respond: Respond;

beforeEach(async () => {
  server = await openTestServer((request, response) => respond(request, response));
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

/** Every name leads to the test server. */
const toLoopback = async (): Promise<readonly ResolvedAddress[]> => [{ address: '127.0.0.1', family: 4 }];

function fetchFrom(policy: UrlPolicyOptions = {}, options: PolicyFetchOptions = {}) {
  return createPolicyFetch(createUrlPolicy({ allowPrivateHosts: ['127.0.0.1'], ...policy }), options);
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

describe('an answer', () => {
  test('has status, final address, content type and bytes', async () => {
    respond = (_request, response) => response.writeHead(404, { 'content-type': 'text/plain; charset=x' }).end('none');
    const answer = await fetchFrom()(`${server.origin}/a?b=c#d`);
    expect(answer).toMatchObject({
      status: 404,
      url: `${server.origin}/a?b=c#d`,
      contentType: 'text/plain; charset=x',
      isTruncated: false,
    });
    expect(text(answer.bytes)).toBe('none');
    expect(server.requests).toMatchObject([{ method: 'GET', path: '/a?b=c' }]);
    await server.idle();
  });

  test.each([
    ['gzip', gzipSync('hello')],
    ['x-gzip', gzipSync('hello')],
    ['br', brotliCompressSync('hello')],
    ['deflate', deflateSync('hello')],
    ['gzip, br', brotliCompressSync(gzipSync('hello'))],
    ['identity', Buffer.from('hello')],
  ])('encoded as %s is decoded', async (coding, body) => {
    respond = (_request, response) => response.writeHead(200, { 'content-encoding': coding }).end(body);
    expect(text((await fetchFrom()(server.origin)).bytes)).toBe('hello');
  });

  test.each([
    ['an unknown coding', 'rot13', Buffer.from('hello')],
    ['too many codings', 'gzip, gzip, gzip, gzip', Buffer.from('hello')],
    ['a coding that it has not', 'gzip', Buffer.from('hello')],
    ['a compressed body that ends early', 'gzip', gzipSync('hello'.repeat(1_000)).subarray(0, 20)],
  ])('with %s is a failure of the network', async (_what, coding, body) => {
    respond = (_request, response) => response.writeHead(200, { 'content-encoding': coding }).end(body);
    await expect(fetchFrom()(server.origin)).rejects.toMatchObject({ kind: 'network', code: 'task.web-failed' });
    await server.idle();
  });

  test('of 50 MB is cut at the limit and the rest never read', async () => {
    let isDone = false;
    respond = (_request, response) => {
      response.on('finish', () => {
        isDone = true;
      });
      response.end(Buffer.alloc(50_000_000, 'x'));
    };
    const answer = await fetchFrom({}, { maxBytes: 100_000 })(server.origin);
    expect(answer.bytes.length).toBe(100_000);
    expect(answer.isTruncated).toBe(true);
    await server.idle();
    expect(isDone).toBe(false);
  });

  test('that would decode to a gigabyte is cut at the limit', async () => {
    const inner = gzipSync(Buffer.alloc(50_000_000));
    respond = (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(gzipSync(inner));
    const answer = await fetchFrom()(server.origin, { maxBytes: 1_000_000 });
    expect(answer.bytes.length).toBe(1_000_000);
    expect(answer.isTruncated).toBe(true);
    await server.idle();
  });

  test('of exactly the limit is whole', async () => {
    respond = (_request, response) => response.end('12345');
    expect(await fetchFrom()(server.origin, { maxBytes: 5 })).toMatchObject({ isTruncated: false });
    expect(await fetchFrom()(server.origin, { maxBytes: 4 })).toMatchObject({ isTruncated: true });
  });

  test('that breaks off is a failure of the network', async () => {
    respond = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    };
    await expect(fetchFrom()(server.origin)).rejects.toMatchObject({ kind: 'network' });
  });

  test('that is no HTTP is a failure of the network', async () => {
    const garbage = createTcpServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('SSH-2.0-OpenSSH_9.2\r\n'),
    );
    garbage.listen(0, '127.0.0.1');
    await once(garbage, 'listening');
    const address = garbage.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await expect(fetchFrom()(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ kind: 'network' });
    await new Promise((resolve) => garbage.close(resolve));
    await expect(fetchFrom()(`http://127.0.0.1:${port}/`)).rejects.toThrow(/ECONNREFUSED/);
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('of status %d is followed', async (status) => {
    respond = ({ path }, response) => {
      if (path === '/start')
        response.writeHead(status, { location: Buffer.from('next?x=ü').toString('latin1') }).end('moved');
      else response.end('here');
    };
    const answer = await fetchFrom()(`${server.origin}/start#part`);
    expect(answer.url).toBe(`${server.origin}/next?x=%C3%BC#part`);
    expect(text(answer.bytes)).toBe('here');
    await server.idle();
  });

  test('to a private address is refused, however it is written', async () => {
    const refused = fetchFrom({ allowPrivateHosts: [`127.0.0.1:${server.port}`] });
    for (const location of [
      'http://127.0.0.1:1/',
      'http://2130706433:1/',
      '//[::1]/',
      'http://169.254.169.254/latest/meta-data',
      'http://metadata.google.internal/',
      'http://localhost:1/',
      'file:///etc/passwd',
      'http://user:password@example.com/',
    ]) {
      respond = (_request, response) => response.writeHead(302, { location }).end();
      await expect(refused(server.origin)).rejects.toThrow(UrlRefusedError);
    }
    await server.idle();
  });

  test('to a name that resolves to a private address is refused', async () => {
    respond = (_request, response) =>
      response.writeHead(302, { location: `http://inner.example:${server.port}/` }).end();
    const fetchPage = fetchFrom({ resolve: toLoopback });
    await expect(fetchPage(server.origin)).rejects.toMatchObject({ kind: 'blocked' });
    expect(server.requests.length).toBe(1);
  });

  test('back to where it came from is told as a loop', async () => {
    respond = ({ path }, response) => response.writeHead(302, { location: path === '/a' ? '/b' : '/a' }).end();
    await expect(fetchFrom()(`${server.origin}/a`)).rejects.toThrow(/redirects in a loop/);
    expect(server.requests.length).toBe(2);
  });

  test('is followed five times and no more', async () => {
    respond = ({ path }, response) => {
      const step = Number(path.slice(1));
      if (step === 5) response.end('five');
      else response.writeHead(302, { location: `/${step + 1}` }).end();
    };
    expect(text((await fetchFrom()(`${server.origin}/0`)).bytes)).toBe('five');
    await expect(fetchFrom()(`${server.origin}/-1`)).rejects.toThrow(/redirects more than 5 times/);
  });

  test('without a place to go to is an answer, and one to nonsense a failure', async () => {
    respond = (_request, response) => response.writeHead(302).end();
    expect(await fetchFrom()(server.origin)).toMatchObject({ status: 302 });
    respond = (_request, response) => response.writeHead(302, { location: 'http://[' }).end();
    await expect(fetchFrom()(server.origin)).rejects.toMatchObject({ kind: 'network' });
  });

  test('takes headers of the caller along to the same origin only', async () => {
    respond = ({ path }, response) => {
      if (path === '/a') response.writeHead(302, { location: '/b' }).end();
      else if (path === '/b') response.writeHead(302, { location: `http://other.example:${server.port}/c` }).end();
      else response.end();
    };
    const fetchPage = fetchFrom({ allowPrivateNetwork: true, resolve: toLoopback });
    await fetchPage(`${server.origin}/a`, { headers: { authorization: 'Bearer x' } });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer x', 'Bearer x', undefined]);
  });
});

describe('a name', () => {
  test('is resolved once for a connection, which is bound to what was checked', async () => {
    respond = (_request, response) => response.end('reached');
    let lookups = 0;
    // The second answer would be reached if anything but the policy resolved the name.
    const rebinding = async (): Promise<readonly ResolvedAddress[]> => {
      lookups += 1;
      return [{ address: lookups === 1 ? '127.0.0.1' : '10.255.255.1', family: 4 }];
    };
    const fetchPage = fetchFrom({ allowPrivateHosts: ['rebind.example'], resolve: rebinding });
    expect(text((await fetchPage(`http://rebind.example:${server.port}/`)).bytes)).toBe('reached');
    expect(lookups).toBe(1);
    expect(server.requests[0]?.headers.host).toBe(`rebind.example:${server.port}`);
  });

  test('that turns private between two requests is refused', async () => {
    let lookups = 0;
    const fetchPage = fetchFrom({
      allowPrivateHosts: [],
      resolve: async () => {
        lookups += 1;
        return lookups === 1 ? [] : [{ address: '127.0.0.1', family: 4 }];
      },
    });
    const url = `http://rebind.example:${server.port}/`;
    await expect(fetchPage(url)).rejects.toMatchObject({ kind: 'network' });
    await expect(fetchPage(url)).rejects.toMatchObject({ kind: 'blocked' });
    expect(server.requests).toEqual([]);
  });

  test('with several addresses is reached at the one that answers', async () => {
    respond = (_request, response) => response.end('reached');
    const fetchPage = fetchFrom({
      allowPrivateNetwork: true,
      resolve: async () => [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ],
    });
    expect(text((await fetchPage(`http://both.example:${server.port}/`)).bytes)).toBe('reached');
  });
});

/** Waits until the request of `/a` is over and the next one is waited for. */
async function waitForRetry(clock: ManualClock): Promise<void> {
  await server.heard('/a');
  await server.idle();
  while (clock.pendingCount === 0) await clock.advance(0);
}

describe('an answer of 429', () => {
  test('is tried once again after the time that it asks for', async () => {
    const clock = createManualClock();
    respond = (_request, response) => {
      if (server.requests.length > 1) response.end('now');
      else response.writeHead(429, { 'retry-after': '7' }).end();
    };
    const answer = fetchFrom({}, { clock })(`${server.origin}/a`);
    await waitForRetry(clock);
    await clock.advance(6_999);
    expect(server.requests.length).toBe(1);
    await clock.advance(1);
    expect(text((await answer).bytes)).toBe('now');
    expect(clock.pendingCount).toBe(0);
  });

  test('is given as it is the second time, and where it asks for more than 10 s', async () => {
    const clock = createManualClock();
    respond = (_request, response) => response.writeHead(429, { 'retry-after': '11' }).end();
    expect(await fetchFrom({}, { clock })(server.origin)).toMatchObject({ status: 429 });
    expect(server.requests.length).toBe(1);
    respond = (_request, response) => response.writeHead(429, { 'retry-after': '0' }).end();
    expect(await fetchFrom({})(server.origin)).toMatchObject({ status: 429 });
    expect(server.requests.length).toBe(3);
  });
});

describe('a server that hangs', () => {
  test('before its answer is left after the time limit', async () => {
    const clock = createManualClock();
    respond = () => undefined;
    const answer = fetchFrom({}, { clock, headersTimeoutMs: 2_000 })(`${server.origin}/slow`);
    const failure = expect(answer).rejects.toMatchObject({
      kind: 'timeout',
      message: expect.stringMatching(/did not answer within 2 s/),
    });
    await server.heard('/slow');
    await clock.advance(2_000);
    await failure;
    await server.idle();
    expect(clock.pendingCount).toBe(0);
  });

  test('in the middle of its body is left after the time limit', async () => {
    const clock = createManualClock();
    const written = Promise.withResolvers<void>();
    respond = (_request, response) => {
      response.writeHead(200);
      response.write('half', () => written.resolve());
    };
    const answer = fetchFrom({}, { clock, bodyTimeoutMs: 3_000 })(server.origin);
    const failure = expect(answer).rejects.toMatchObject({ kind: 'timeout' });
    await written.promise;
    // The limit of the body starts with its head, which may still be on its way.
    while (clock.pendingCount > 0) await clock.advance(3_000);
    await failure;
    await server.idle();
  });

  test('while the name is looked up is left after the time limit', async () => {
    const clock = createManualClock();
    const started = Promise.withResolvers<void>();
    const fetchPage = fetchFrom(
      {
        resolve: (_name, signal) =>
          new Promise((_, reject) => {
            started.resolve();
            signal?.addEventListener('abort', () => reject(signal.reason));
          }),
      },
      { clock },
    );
    const failure = expect(fetchPage('http://slow.example/')).rejects.toMatchObject({ kind: 'timeout' });
    await started.promise;
    await clock.advance(15_000);
    await failure;
  });
});

describe('an abort', () => {
  const reason = new Error('stop');

  test('before the start sends nothing', async () => {
    await expect(fetchFrom()(server.origin, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
  });

  test('while the name is looked up rejects with its reason', async () => {
    const controller = new AbortController();
    const fetchPage = fetchFrom({
      resolve: (_name, signal) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
          controller.abort(reason);
        }),
    });
    await expect(fetchPage('http://slow.example/', { signal: controller.signal })).rejects.toBe(reason);
  });

  test('while it connects closes the socket', async () => {
    // A server whose queue is full does not answer; one that never ends the TLS handshake looks the same to the client.
    const sockets: Socket[] = [];
    const silent = createTcpServer((socket) => sockets.push(socket.on('error', () => undefined)));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const controller = new AbortController();
    const port = typeof address === 'object' ? address?.port : 0;
    const answer = fetchFrom()(`https://127.0.0.1:${port}/`, { signal: controller.signal });
    const failure = expect(answer).rejects.toBe(reason);
    const [socket] = await once(silent, 'connection');
    const closed = once(socket, 'close');
    controller.abort(reason);
    await failure;
    socket.resume();
    await closed;
    await new Promise((resolve) => silent.close(resolve));
  });

  test('while the server thinks closes the connection', async () => {
    const controller = new AbortController();
    respond = () => controller.abort(reason);
    await expect(fetchFrom()(server.origin, { signal: controller.signal })).rejects.toBe(reason);
    await server.idle();
  });

  test('in the middle of the body closes the connection', async () => {
    const controller = new AbortController();
    respond = (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.write(gzipSync('half').subarray(0, 12), () => controller.abort(reason));
    };
    await expect(fetchFrom()(server.origin, { signal: controller.signal })).rejects.toBe(reason);
    await server.idle();
  });

  test('while it waits to try again ends the wait', async () => {
    const clock = createManualClock();
    const controller = new AbortController();
    respond = (_request, response) => response.writeHead(429).end();
    const answer = fetchFrom({}, { clock })(`${server.origin}/a`, { signal: controller.signal });
    const failure = expect(answer).rejects.toBe(reason);
    await waitForRetry(clock);
    controller.abort(reason);
    await failure;
    expect(clock.pendingCount).toBe(0);
  });
});

test('errors tell the host and the reason, and are errors of the web', async () => {
  respond = (_request, response) => response.destroy();
  const failure: unknown = await fetchFrom()(`${server.origin}/x`).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(WebError);
  expect(failure).toMatchObject({ kind: 'network', retryable: true, message: expect.stringContaining('127.0.0.1') });
});
