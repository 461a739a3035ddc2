import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import { isRunning, openTestMcp, program, type TestMcp } from './open-test-mcp.ts';

const variables = { PATH: process.env['PATH'], HOME: '/home/somebody', SHELL: '/bin/sh', API_KEY: 'of the host' };
let shop: TestMcp;

beforeAll(async () => {
  const env = { TOKEN: new Secret('TOKEN', 'open sesame'), PLAIN: 'yes' };
  const transport = { ...program('official-server'), env, cwd: '/' };
  shop = await openTestMcp({ name: 'shop', transport }, { variables });
});

afterAll(async () => shop[Symbol.asyncDispose]());

test('the tools of a server become tools of a set with its name', () => {
  const { server } = shop;
  expect(server.toolset).toBe('shop');
  expect(server.serverInfo).toEqual({ name: 'shop', version: '1.2.3', instructions: 'Prices are in cents.' });
  const [add] = server.tools;
  expect(add).toMatchObject({ toolset: 'shop', sideEffect: 'host', isParallelSafe: true, timeoutMs: 60_000 });
  expect(add?.definition.function).toEqual({
    name: 'mcp_shop_add',
    description: 'Adds two numbers.',
    parameters: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number', default: 1 } },
      required: ['a'],
    },
  });
  expect(server.tools.map((tool) => tool.isParallelSafe).slice(0, 2)).toEqual([true, false]);
  expect(server.tools[1]?.definition.function.parameters).toEqual({
    type: 'object',
    properties: { text: { type: 'string' }, times: { type: 'integer', default: 1 } },
    required: ['text'],
  });
});

test('structured content reaches the model as JSON, once', async () => {
  expect((await shop.tools.call('mcp_shop_add', { a: 2 })).content).toBe('{"sum":3}');
});

test('text reaches the model as it is', async () => {
  const outcome = await shop.tools.call('mcp_shop_say', { text: '{"error": "said"} ü' });
  expect(outcome).toMatchObject({ content: '{"error": "said"} ü', isError: false });
});

test('of other content the model is told what it is and how large', async () => {
  expect((await shop.tools.call('mcp_shop_show', {})).content.split('\n')).toEqual([
    'first',
    '[image: image/png, 1000 bytes; not shown]',
    '[audio: audio/wav, 10 bytes; not shown]',
    '[link to a resource: file:///plan.md, plan, text/markdown, 12 bytes]',
    '[resource: note://1, text/plain, 6 characters]',
    'inside',
    '[resource: blob://1, application/zip, 3 bytes; not shown]',
  ]);
});

test.each([
  ['mcp_shop_fail', 'No such shelf.'],
  ['mcp_shop_throw', 'broken shelf'],
])('a tool that fails is a failed call: %s', async (name, message) => {
  const outcome = await shop.tools.call(name, {});
  expect(outcome.isError).toBe(true);
  expect(JSON.parse(outcome.content)).toEqual({ error: message, error_kind: 'internal' });
});

test('arguments are checked before the server is asked', async () => {
  const outcome = await shop.tools.call('mcp_shop_add', { a: 'two' });
  expect(JSON.parse(outcome.content)).toMatchObject({ error_kind: 'invalid_args' });
});

test('a program gets PATH, HOME and what it is given, and nothing else', async () => {
  const { env, cwd } = await shop.tools.callJson('mcp_shop_surroundings', {});
  expect(env).toEqual({ PATH: process.env['PATH'], HOME: '/home/somebody', TOKEN: 'open sesame', PLAIN: 'yes' });
  expect(cwd).toBe('/');
});

test('a program gets other variables of the host where they are named', async () => {
  const transport = { ...program('official-server'), inherit: ['SHELL', 'NOT_THERE'] };
  await using opened = await openTestMcp({ name: 'other', transport }, { variables });
  const { env } = await opened.tools.callJson('mcp_other_surroundings', {});
  expect(env).toEqual({ SHELL: '/bin/sh' });
});

test('an abort reaches the server as a cancellation, and progress reaches the log', async () => {
  const stop = new AbortController();
  const reason = new Error('enough');
  const call = shop.tools.call('mcp_shop_wait', {}, stop.signal);
  expect(await shop.logger.heard('mcp.progress')).toMatchObject({ tool: 'wait', progress: 1, message: 'half way' });
  stop.abort(reason);
  await expect(call).rejects.toBe(reason);
  await shop.logger.heard('mcp.stderr', ({ line }) => line === 'was cancelled');
  expect((await shop.tools.call('mcp_shop_say', { text: 'still here' })).content).toBe('still here');
});

test('a result beyond the limit of a result is cut by the dispatcher', async () => {
  const { content } = await shop.tools.call('mcp_shop_say', { text: '0123456789', times: 300_000 });
  expect(content.length).toBeLessThan(110_000);
});

test('a list of tools that changes is noted, and what was offered stays', async () => {
  await using opened = await openTestMcp({ name: 'shop', transport: program('official-server') });
  expect(opened.server.haveToolsChanged()).toBe(false);
  const before = opened.server.tools.length;
  await opened.tools.call('mcp_shop_grow', {});
  await opened.logger.heard('mcp.tools-changed');
  expect(opened.server.haveToolsChanged()).toBe(true);
  expect(opened.server.tools).toHaveLength(before);
});

test('only the tools that are included and not excluded are offered, under the prefix that is wanted', async () => {
  const options = { include: ['add', 'say', 'gone'], exclude: ['say'], prefix: 'x_' };
  await using opened = await openTestMcp({ name: 'shop', transport: program('official-server'), ...options });
  expect(opened.server.tools.map((tool) => tool.definition.function.name)).toEqual(['x_add']);
  expect(opened.logger.of('mcp.unknown-tool')).toEqual([{ server: 'shop', tool: 'gone' }]);
});

test('disposal ends the program and all that it started, even what left its session and is deaf to SIGTERM', async () => {
  const opened = await openTestMcp({ name: 'shop', transport: program('official-server') });
  const bred: unknown = JSON.parse((await opened.tools.call('mcp_shop_breed', {})).content);
  const pids = [Number((await opened.tools.call('mcp_shop_pid', {})).content), ...(bred as number[])];
  expect(pids.map(isRunning)).toEqual([true, true, true]);
  await opened.server[Symbol.asyncDispose]();
  await opened.server[Symbol.asyncDispose]();
  expect(pids.map(isRunning)).toEqual([false, false, false]);
  expect(opened.logger.of('mcp.processes-survived')).toEqual([]);
  expect(await opened.tools.callJson('mcp_shop_add', { a: 1 })).toMatchObject({ error_kind: 'not_available' });
  await opened[Symbol.asyncDispose]();
});
