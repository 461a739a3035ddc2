import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import { openMcpServer } from '@talaria/tools/mcp';
import { createUrlPolicy } from '@talaria/tools/web';
import { type HttpMcp, openHttpMcp } from './open-http-mcp.ts';
import { openTestMcp } from './open-test-mcp.ts';

let remote: HttpMcp;

beforeAll(async () => {
  remote = await openHttpMcp();
});

afterAll(async () => remote[Symbol.asyncDispose]());

function at(url: string) {
  return { name: 'shop', transport: { kind: 'http', url } as const };
}

test('tools of a server behind HTTP act outside and are called with its headers', async () => {
  const headers = { Authorization: new Secret('KEY', 'Bearer abc'), 'x-team': 'blue' };
  const transport = { kind: 'http', url: remote.url, headers } as const;
  const before = remote.requests.length;
  {
    await using opened = await openTestMcp({ name: 'shop', transport });
    expect(opened.server.tools[0]).toMatchObject({ toolset: 'shop', sideEffect: 'external' });
    expect(await opened.tools.callJson('mcp_shop_add', { a: 2, b: 3 })).toEqual({ sum: 5 });
  }
  const heard = remote.requests.slice(before);
  expect(heard.map(({ headers: { authorization, 'x-team': team } }) => [authorization, team])).toEqual(
    heard.map(() => ['Bearer abc', 'blue']),
  );
});

test('disposal ends the session and leaves no connection', async () => {
  const opened = await openTestMcp(at(remote.url));
  await opened.tools.call('mcp_shop_say', { text: 'x' });
  await opened[Symbol.asyncDispose]();
  await opened[Symbol.asyncDispose]();
  expect(remote.requests.at(-1)?.method).toBe('DELETE');
  await remote.idle();
  expect(remote.connectionCount()).toBe(0);
  const outcome = await opened.tools.callJson('mcp_shop_say', { text: 'x' });
  expect(outcome).toMatchObject({ error_kind: 'not_available' });
});

test('an abort cancels the call at the server and ends its request', async () => {
  await using opened = await openTestMcp(at(remote.url));
  const stop = new AbortController();
  const reason = new Error('enough');
  const call = opened.tools.call('mcp_shop_wait', {}, stop.signal);
  await opened.logger.heard('mcp.progress');
  stop.abort(reason);
  await expect(call).rejects.toBe(reason);
  expect((await opened.tools.call('mcp_shop_say', { text: 'still here' })).content).toBe('still here');
});

test('a session that the server has forgotten is opened again and the call sent again', async () => {
  await using opened = await openTestMcp(at(remote.url));
  for (const text of ['one', 'two']) {
    remote.forget();
    expect((await opened.tools.call('mcp_shop_say', { text })).content).toBe(text);
  }
  expect(opened.logger.of('mcp.reopening')).toHaveLength(2);
});

test('a server that has gone is told in each call', async () => {
  const passing = await openHttpMcp();
  await using opened = await openTestMcp(at(passing.url));
  await passing[Symbol.asyncDispose]();
  const answer = await opened.tools.callJson('mcp_shop_say', { text: 'x' });
  // The first call finds a connection that has ended, or none; the next one certainly none.
  expect(answer).toMatchObject({ error_kind: 'network' });
  expect(await opened.tools.callJson('mcp_shop_say', { text: 'y' })).toEqual({
    error: 'The MCP server shop could not be asked: ECONNREFUSED.',
    error_kind: 'network',
  });
});

test('an answer that breaks off fails the call', async () => {
  let isBreaking = false;
  await using passing = await openHttpMcp((request, response) => {
    if (!isBreaking || request.method !== 'POST') return false;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': nothing yet\n\n');
    response.end();
    return true;
  });
  await using opened = await openTestMcp(at(passing.url));
  isBreaking = true;
  expect(await opened.tools.callJson('mcp_shop_say', { text: 'x' })).toMatchObject({ error_kind: 'network' });
});

test.each([
  ['a JSON answer', 'application/json', '{"jsonrpc":"2.0","id":'],
  ['one event', 'text/event-stream', 'data: {"jsonrpc":"2.0","id":'],
])('an answer that is too large fails the call: %s', async (_what, contentType, start) => {
  let isHuge = false;
  await using passing = await openHttpMcp((request, response) => {
    if (!isHuge || request.method !== 'POST') return false;
    response.writeHead(200, { 'content-type': contentType });
    response.write(start);
    for (let count = 0; count < 40; count += 1) response.write('x'.repeat(100_000));
    response.end();
    return true;
  });
  await using opened = await openTestMcp({ ...at(passing.url), maxMessageBytes: 1_000_000 });
  isHuge = true;
  expect(await opened.tools.callJson('mcp_shop_say', { text: 'x' })).toMatchObject({ error_kind: 'network' });
  isHuge = false;
  expect((await opened.tools.call('mcp_shop_say', { text: 'back' })).content).toBe('back');
});

test.each([
  [500, 'text/plain'],
  [401, 'application/json'],
  [200, 'text/html'],
])('an address that is no MCP server is told: %s %s', async (status, contentType) => {
  await using passing = await openHttpMcp((_request, response) => {
    response.writeHead(status, { 'content-type': contentType });
    response.end('<html>');
    return true;
  });
  await expect(openMcpServer(at(passing.url))).rejects.toMatchObject({ code: 'config.mcp-server' });
  await passing.idle();
});

test('a server that does not answer is left when its opening is aborted', async () => {
  await using passing = await openHttpMcp(() => true);
  const stop = new AbortController();
  const reason = new Error('enough');
  const opening = openMcpServer(at(passing.url), { signal: stop.signal });
  stop.abort(reason);
  await expect(opening).rejects.toBe(reason);
  await passing.idle();
});

describe('redirects', () => {
  test('within the origin are followed, and others are not', async () => {
    await using passing = await openHttpMcp((request, response) => {
      if (request.url === '/mcp') return false;
      response.writeHead(307, { location: request.url === '/old' ? '/mcp' : 'http://127.0.0.1:9/mcp' });
      response.end();
      return true;
    });
    await using opened = await openTestMcp(at(`http://127.0.0.1:${passing.port}/old`));
    expect((await opened.tools.call('mcp_shop_say', { text: 'moved' })).content).toBe('moved');
    await expect(openMcpServer(at(`http://127.0.0.1:${passing.port}/away`))).rejects.toMatchObject({
      code: 'config.mcp-server',
    });
  });
});

describe('with a policy', () => {
  test('a private address is refused before it is connected to', async () => {
    await using passing = await openHttpMcp();
    await expect(openMcpServer({ ...at(passing.url), policy: createUrlPolicy() })).rejects.toMatchObject({
      code: 'task.url-refused',
    });
    expect(passing.requests).toEqual([]);
  });

  test('a name that means a private address is refused', async () => {
    await using passing = await openHttpMcp();
    const policy = createUrlPolicy({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    const opening = openMcpServer({ ...at(`http://shop.example:${passing.port}/mcp`), policy });
    await expect(opening).rejects.toThrow(/private/);
    expect(passing.requests).toEqual([]);
  });

  test('what it allows is connected to, by the addresses that it gave', async () => {
    const policy = createUrlPolicy({
      allowPrivateHosts: ['shop.example'],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    await using opened = await openTestMcp({ ...at(`http://shop.example:${remote.port}/mcp`), policy });
    expect(await opened.tools.callJson('mcp_shop_add', { a: 1 })).toEqual({ sum: 2 });
  });
});
