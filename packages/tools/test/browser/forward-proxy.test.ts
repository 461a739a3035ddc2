import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createUrlPolicy } from '@talaria/tools/web';
import { type ForwardProxy, openForwardProxy } from '../../src/browser/proxy/forward-proxy.ts';
import type { ProxyClient } from '../../src/browser/proxy/proxy-client.ts';
import { openTestServer, type Respond, type TestServer } from '../web/open-test-server.ts';

let server: TestServer;
let respond: Respond;
let proxy: ForwardProxy;
let client: ProxyClient;

beforeEach(async () => {
  respond = (_heard, response) => response.end('hello');
  server = await openTestServer((heard, response) => respond(heard, response));
  const policy = createUrlPolicy({
    allowPrivateHosts: ['shop.test'],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  proxy = await openForwardProxy({ policy, maxClientBytes: 1_000_000 });
  client = proxy.addClient();
});

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await server.idle();
  await server[Symbol.asyncDispose]();
});

function authorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

async function send(
  path: string,
  options: {
    readonly password?: string;
    readonly method?: string;
    readonly body?: string;
    readonly headers?: object;
  } = {},
): Promise<Answer> {
  const { password = client.password, method = 'GET', body, headers = {} } = options;
  const sent = request(proxy.url, {
    method,
    path,
    agent: false,
    headers: { host: 'other.test', 'proxy-authorization': authorization(client.username, password), ...headers },
  });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return { status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString(), headers: answer.headers };
}

/** Asks for a tunnel; gives the first line of the answer and the socket. */
async function tunnel(target: string, password = client.password): Promise<{ line: string; socket: Socket }> {
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: ${authorization(client.username, password)}\r\n\r\n`,
  );
  const [data] = (await once(socket, 'data')) as [Buffer];
  return { line: data.toString().split('\r\n')[0] ?? '', socket };
}

describe('the proxy of the browser', () => {
  test('passes a request on to the host of its address, without what is meant for the proxy', async () => {
    respond = ({ method, body }, response) =>
      response.writeHead(201, { 'set-cookie': ['a=1', 'b=2'], 'keep-alive': 'timeout=9' }).end(`${method} ${body}`);
    const answer = await send(`http://shop.test:${server.port}/a?b=c`, {
      method: 'POST',
      body: 'text',
      headers: { te: 'trailers', 'x-own': '1' },
    });
    expect(answer).toMatchObject({ status: 201, body: 'POST text', headers: { 'set-cookie': ['a=1', 'b=2'] } });
    const [heard] = server.requests;
    expect(heard).toMatchObject({ method: 'POST', path: '/a?b=c', headers: { 'x-own': '1' } });
    expect(heard?.headers.host).toBe(`shop.test:${server.port}`);
    expect(heard?.headers).not.toHaveProperty('proxy-authorization');
    expect(heard?.headers).not.toHaveProperty('te');
  });

  test('lets nobody in without a password of it', async () => {
    const url = `http://shop.test:${server.port}/`;
    expect(await send(url, { password: 'guess' })).toMatchObject({ status: 407, body: '' });
    expect(await send(url, { headers: { 'proxy-authorization': '' } })).toMatchObject({ status: 407 });
    expect((await tunnel(`shop.test:${server.port}`, 'guess')).line).toMatch(/ 407 /);
    client[Symbol.dispose]();
    expect(await send(url)).toMatchObject({ status: 407 });
    expect(server.requests).toEqual([]);
  });

  test('refuses what the policy refuses, and remembers why', async () => {
    const urls = [`http://127.0.0.1:${server.port}/`, `http://inner.test:${server.port}/`, 'ftp://shop.test/', '/', ''];
    for (const url of urls) expect((await send(url === '' ? '*' : url)).status).toBe(403);
    for (const target of [
      `127.0.0.1:${server.port}`,
      `inner.test:${server.port}`,
      `[::1]:${server.port}`,
      'nonsense',
    ]) {
      expect((await tunnel(target)).line).toMatch(/ 403 /);
    }
    const refusals = client.takeRefusals();
    expect(refusals).toHaveLength(9);
    expect(new Set(refusals.map(({ kind }) => kind))).toEqual(new Set(['blocked']));
    expect(client.takeRefusals()).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  test('tells of a server that cannot be reached, or closes the connection', async () => {
    expect(await send('http://shop.test:1/')).toMatchObject({ status: 502 });
    expect((await tunnel('shop.test:1')).line).toMatch(/ 502 /);
    respond = (_heard, response) => void response.destroy();
    expect(await send(`http://shop.test:${server.port}/`)).toMatchObject({ status: 502 });
    expect(client.takeRefusals().map(({ kind }) => kind)).toEqual(['network', 'network', 'network']);
  });

  test('cuts off what is more than a client may receive, until its budget is renewed', async () => {
    const large = Buffer.alloc(3_000_000);
    respond = ({ path }, response) => void response.end(path === '/large' ? large : 'small');
    await expect(send(`http://shop.test:${server.port}/large`)).rejects.toThrow();
    expect(client.takeRefusals()).toMatchObject([{ kind: 'too_large' }]);
    client.renewBudget();
    expect(await send(`http://shop.test:${server.port}/`)).toMatchObject({ status: 200, body: 'small' });
  });

  test('closes both ends of a tunnel together', async () => {
    const { line, socket } = await tunnel(`shop.test:${server.port}`);
    expect(line).toMatch(/ 200 /);
    socket.write('GET /inside HTTP/1.1\r\nHost: x\r\n\r\n');
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(data.toString()).toMatch(/^HTTP\/1\.1 200/);
    socket.destroy();
    await server.idle();
  });

  test('closes the connections of a client that leaves, and all when it ends', async () => {
    respond = () => undefined;
    const waiting = send(`http://shop.test:${server.port}/never`);
    const failed = expect(waiting).rejects.toThrow();
    await server.heard('/never');
    const { socket } = await tunnel(`shop.test:${server.port}`);
    const closed = once(socket, 'close');
    client[Symbol.dispose]();
    await Promise.all([closed, failed]);
    await server.idle();
    client = proxy.addClient();
    const again = expect(send(`http://shop.test:${server.port}/again`)).rejects.toThrow();
    await server.heard('/again');
    await proxy[Symbol.asyncDispose]();
    await again;
    await proxy[Symbol.asyncDispose]();
  });
});
