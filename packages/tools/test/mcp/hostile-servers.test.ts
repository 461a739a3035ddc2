import { describe, expect, test } from '@jest/globals';
import { ConfigError } from '@talaria/core';
import { createManualClock } from '@talaria/core/testing';
import { openMcpServer } from '@talaria/tools/mcp';
import { createEventLogger, isRunning, openTestMcp, program } from './open-test-mcp.ts';

function raw(mode: string, ...more: readonly string[]) {
  return { name: 'raw', transport: program('raw-server', mode, ...more) };
}

async function toolNames(mode: string): Promise<readonly string[]> {
  await using opened = await openTestMcp(raw(mode));
  return opened.server.tools.map((tool) => tool.definition.function.name);
}

describe('opening', () => {
  test('a program that ends at once is told with its exit code and what it wrote', async () => {
    const opening = openMcpServer(raw('exits', 'no licence'));
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toMatchObject({
      code: 'config.mcp-server',
      message: 'The MCP server raw cannot be used: it ended with exit code 7; it wrote: cannot start: no licence',
    });
  });

  test('a program that is not there is told', async () => {
    const transport = { kind: 'stdio', command: '/nowhere/program' } as const;
    await expect(openMcpServer({ name: 'raw', transport })).rejects.toMatchObject({
      code: 'config.mcp-server',
      message: expect.stringContaining('ENOENT'),
    });
  });

  test.each(['silent', 'list-hangs'])('a server that does not answer is given up after its time: %s', async (mode) => {
    const clock = createManualClock();
    const logger = createEventLogger();
    const settled = openMcpServer({ ...raw(mode), timeoutMs: 5_000 }, { clock, logger }).catch(
      (error: unknown) => error,
    );
    // Time goes on until the opening has settled, the ending of the program included.
    const error = await advanceUntil(clock, settled);
    expect(error).toMatchObject({ code: 'config.mcp-server', message: expect.stringContaining('5 s') });
  });

  test('an abort ends the opening with its reason', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const opening = openMcpServer(raw('silent'), { signal: stop.signal });
    stop.abort(reason);
    await expect(opening).rejects.toBe(reason);
    await expect(openMcpServer(raw('silent'), { signal: stop.signal })).rejects.toBe(reason);
  });

  test.each([
    ['a name with a space', { ...raw(''), name: 'my server' }],
    ['an unknown field', { ...raw(''), colour: 'red' }],
    ['an address with credentials', { name: 'raw', transport: { kind: 'http', url: 'http://me:pw@host/' } as const }],
    ['another scheme', { name: 'raw', transport: { kind: 'http', url: 'file:///etc' } as const }],
  ])('options are refused before anything starts: %s', async (_what, options) => {
    await expect(openMcpServer(options)).rejects.toMatchObject({ code: 'config.invalid' });
  });
});

describe('lists', () => {
  test('every page is read', async () => {
    expect(await toolNames('pages')).toEqual([0, 1, 2, 3, 4].map((at) => `mcp_raw_tool_${at}`));
  });

  test('a list that leads back to itself or never ends is cut', async () => {
    expect(await toolNames('circle')).toEqual(['mcp_raw_tool_', 'mcp_raw_tool_b', 'mcp_raw_tool_a']);
    expect(await toolNames('endless')).toHaveLength(1_000);
  });

  test('a server without tools has none', async () => {
    await using server = await openMcpServer(raw('no-tools'));
    expect(server.tools).toEqual([]);
  });

  test('a tool whose schema is wrong is left out with a warning, and the others stay', async () => {
    await using opened = await openTestMcp(raw('schemas'));
    expect(opened.server.tools.map((tool) => tool.definition.function)).toEqual([
      { name: 'mcp_raw_good', description: 'good', parameters: { type: 'object', properties: {} } },
      { name: 'mcp_raw_also_good', description: 'also_good', parameters: { type: 'object', properties: {} } },
    ]);
    const left = opened.logger.of('mcp.tool-left-out').map(({ tool }) => tool);
    expect(left.sort()).toEqual(
      [
        'no_schema',
        'a_list',
        'bad_keyword',
        'bad_pattern',
        'far_reference',
        'deep',
        'long',
        '(no name)',
        '(no name)',
        '(no name)',
      ].sort(),
    );
  });

  test('names are made valid, unique and at most 64 characters long', async () => {
    const names = await toolNames('names');
    expect(names.slice(0, 1)).toEqual(['mcp_raw_a_b']);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toHaveLength(6);
    for (const name of names) expect(name).toMatch(/^mcp_raw_[a-zA-Z0-9_-]{1,56}$/);
    expect(await toolNames('names')).toEqual(names);
  });
});

describe('calls', () => {
  test.each([
    ['no-result', { isError: true, errorKind: 'internal' }, 'no message of MCP'],
    ['odd-content', { isError: false }, '[content of the type "hologram"; not shown]'],
    ['error-in-structure', { isError: false }, '{"error":"part of the answer"}'],
    ['list', { isError: false }, '{"text":"both","structured_content":{"a":1}}'],
    ['refuses', { isError: true, errorKind: 'invalid_args' }, 'bad arguments'],
    ['asks-back', { isError: false }, 'done'],
    ['chatter', { isError: false }, ''],
  ])('%s', async (mode, verdict, text) => {
    await using opened = await openTestMcp(raw(mode));
    const outcome = await opened.tools.call('mcp_raw_any', {});
    expect(outcome).toMatchObject(verdict);
    expect(outcome.content).toContain(text);
    expect(outcome.content.length).toBeLessThan(3_000);
  });

  test('a server that ends in a call is told, opened again once, and given up when it ends again', async () => {
    await using opened = await openTestMcp(raw('dies-in-call'));
    const kinds: unknown[] = [];
    for (let count = 0; count < 4; count += 1)
      kinds.push((await opened.tools.callJson('mcp_raw_any', {}))['error_kind']);
    expect(kinds).toEqual(['network', 'network', 'not_available', 'not_available']);
    expect(opened.logger.of('mcp.reopening')).toEqual([{ server: 'raw', reason: 'it was ended by SIGKILL' }]);
  });

  test('a server that answers in between is opened again each time', async () => {
    const transport = program('official-server');
    await using opened = await openTestMcp({ name: 'shop', transport });
    for (const code of [1, 2]) {
      expect(await opened.tools.callJson('mcp_shop_exit', { code })).toMatchObject({ error_kind: 'network' });
      expect((await opened.tools.call('mcp_shop_say', { text: 'back' })).content).toBe('back');
    }
    expect(opened.logger.of('mcp.reopening').map(({ reason }) => reason)).toEqual([
      'it ended with exit code 1',
      'it ended with exit code 2',
    ]);
  });

  test('a server that may not be opened again is not', async () => {
    await using opened = await openTestMcp({ name: 'shop', transport: program('official-server'), mayReopen: false });
    await opened.tools.call('mcp_shop_exit', { code: 5 });
    expect(await opened.tools.callJson('mcp_shop_say', { text: 'x' })).toEqual({
      error: 'The MCP server shop does not run any more: it ended with exit code 5. Its tools cannot be used.',
      error_kind: 'not_available',
    });
  });

  test('a message that is too large ends the server, not this process', async () => {
    await using opened = await openTestMcp({ ...raw('huge-line'), maxMessageBytes: 1_000_000, mayReopen: false });
    expect(await opened.tools.callJson('mcp_raw_any', {})).toMatchObject({ error_kind: 'network' });
    expect((await opened.tools.callJson('mcp_raw_any', {}))['error']).toContain('more than 1000000 bytes');
  });

  test('a call that is not answered ends after its time', async () => {
    const clock = createManualClock();
    const opened = await openTestMcp({ ...raw('call-hangs'), timeoutMs: 5_000 }, { clock });
    const call = opened.tools.callJson('mcp_raw_any', {});
    await opened.logger.heard('mcp.stderr', ({ line }) => line === 'called');
    await clock.advance(5_000);
    expect(await call).toMatchObject({ error_kind: 'timeout' });
    await advanceUntil(clock, Promise.resolve(opened[Symbol.asyncDispose]()));
  });

  test('what a server writes to its standard error is logged in bounds', async () => {
    await using opened = await openTestMcp(raw('floods-stderr'));
    await opened.logger.heard('mcp.stderr-suppressed');
    const lines = opened.logger.of('mcp.stderr').map(({ line }) => String(line));
    expect(lines).toHaveLength(1_000);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1_100);
  });

  test('a program that is deaf to SIGTERM and to the end of its input is killed', async () => {
    const opened = await openTestMcp(raw('deaf'));
    const { stdout } = await listPrograms();
    const pid = stdout
      .split('\n')
      .find((line) => line.includes('raw-server.ts deaf'))
      ?.trim()
      .split(' ')[0];
    expect(isRunning(Number(pid))).toBe(true);
    await opened[Symbol.asyncDispose]();
    expect(isRunning(Number(pid))).toBe(false);
  });
});

async function listPrograms(): Promise<{ readonly stdout: string }> {
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  return await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,args=']);
}

/** Lets the clock run, a second at a time and as long as it takes, until a promise has settled. */
async function advanceUntil<Value>(
  clock: ReturnType<typeof createManualClock>,
  promise: Promise<Value>,
): Promise<Value> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  while (!isSettled) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (clock.pendingCount > 0) await clock.advance(1_000);
  }
  return await promise;
}
