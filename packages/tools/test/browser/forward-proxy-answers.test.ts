import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import { createUrlPolicy } from '@talaria/tools/web';
import { type ForwardProxy, openForwardProxy } from '../../src/browser/proxy/forward-proxy.ts';
import type { ProxyClient } from '../../src/browser/proxy/proxy-client.ts';

/** What the server sends, whatever is asked, before it closes the connection. */
let answer: Buffer | string;
let server: Server;
let port: number;
let proxy: ForwardProxy;
let client: ProxyClient;

beforeEach(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  const policy = createUrlPolicy({
    allowPrivateHosts: ['*.test'],
    secrets: [new Secret('TOKEN', 'abcdefgh12345678')],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  proxy = await openForwardProxy({ policy, maxClientBytes: 100_000_000 });
  client = proxy.addClient();
});

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await new Promise((resolve) => server.close(resolve));
});

function passwordHeader(): string {
  return `Basic ${Buffer.from(`${client.username}:${client.password}`).toString('base64')}`;
}

async function get(): Promise<IncomingMessage> {
  const sent = request(proxy.url, {
    path: `http://shop.test:${port}/`,
    agent: false,
    headers: { 'proxy-authorization': passwordHeader() },
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

async function tunnelTo(target: string): Promise<{ readonly socket: Socket; readonly line: string }> {
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${passwordHeader()}\r\n\r\n`);
  const [data] = (await once(socket, 'data')) as [Buffer];
  return { socket, line: String(data).split('\r\n', 1)[0] ?? '' };
}

/** Reads to the end as somebody who is busy with other things: a bit, then nothing for a while. */
async function readSlowly(stream: IncomingMessage | Socket): Promise<number> {
  let byteCount = 0;
  for await (const chunk of stream) {
    byteCount += (chunk as Buffer).length;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return byteCount;
}

describe('answers of servers, through the proxy of the browser', () => {
  test.each([
    ['a status that is none', 'HTTP/1.1 099 x\r\nContent-Length: 2\r\n\r\nok'],
    ['the status 0', 'HTTP/1.1 000 x\r\nContent-Length: 2\r\n\r\nok'],
    ['a header name that is none', 'HTTP/1.1 200 OK\r\nX\u0001y: a\r\nContent-Length: 2\r\n\r\nok'],
    ['a header value that is none', 'HTTP/1.1 200 OK\r\nx: a\u0001b\r\nContent-Length: 2\r\n\r\nok'],
    ['another protocol', 'HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
    ['no HTTP', 'hello'],
    ['nothing', ''],
  ])('%s fails this request alone', async (_what, bytes) => {
    answer = bytes;
    const refused = await get();
    expect(refused.statusCode).toBe(502);
    expect(await readSlowly(refused)).toBeGreaterThan(0);
    expect(client.takeRefusals()).toMatchObject([{ kind: 'network' }]);
    answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
    const next = await get();
    expect(next.statusCode).toBe(200);
    expect(await readSlowly(next)).toBe(2);
  });

  test.each([
    ['of a known length', (size: number) => `Content-Length: ${size}\r\n`],
    ['that ends with its connection', () => ''],
  ])('a long answer %s is read to its end, however slowly', async (_what, header) => {
    const body = Buffer.alloc(8_000_000, 'a');
    answer = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${header(body.length)}\r\n`), body]);
    for (let time = 0; time < 3; time += 1) expect(await readSlowly(await get())).toBe(body.length);
  });

  test('what comes through a tunnel is read to its end, however slowly', async () => {
    answer = Buffer.alloc(8_000_000, 'a');
    for (let time = 0; time < 3; time += 1) {
      const { socket, line } = await tunnelTo(`shop.test:${port}`);
      expect(line).toMatch(/ 200 /);
      socket.write('anything');
      expect(await readSlowly(socket)).toBe(answer.length);
      socket.destroy();
    }
  });

  test('an answer that breaks off breaks off for the browser, too', async () => {
    answer = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf';
    await expect(readSlowly(await get())).rejects.toThrow(/aborted/);
  });

  test('the name of a tunnel may hold no secret', async () => {
    const { line } = await tunnelTo(`abcdefgh12345678.shop.test:${port}`);
    expect(line).toMatch(/ 403 /);
    expect(client.takeRefusals()).toMatchObject([{ kind: 'blocked', message: expect.stringMatching(/secret TOKEN/) }]);
  });
});
