import { describe, expect, test } from '@jest/globals';
import { openDaytona } from './open-daytona.ts';

describe('a status', () => {
  test('is answered so many times, with or without the time to wait', async () => {
    await using open = await openDaytona();
    open.double.inject(
      { fault: 'status', on: 'POST /sandbox', status: 429, retryAfter: '3', message: 'Slow down' },
      { fault: 'status', on: 'POST /sandbox', status: 429 },
    );
    await expect(open.create()).rejects.toMatchObject({
      ...{ name: 'DaytonaRateLimitError', statusCode: 429, message: 'Slow down' },
      headers: { 'retry-after': '3' },
    });
    const failure = await open.create().catch((error: unknown) => error);
    expect(failure).toMatchObject({ statusCode: 429 });
    expect(failure).not.toMatchObject({ headers: { 'retry-after': expect.anything() } });
    expect((await open.create()).state).toBe('started');
  });

  test.each([
    [500, 'DaytonaInternalServerError'],
    [502, 'DaytonaBadGatewayError'],
    [503, 'DaytonaServiceUnavailableError'],
    [504, 'DaytonaTimeoutError'],
    [403, 'DaytonaAuthorizationError'],
  ])('%i is a %s, and nothing was done', async (status, name) => {
    await using open = await openDaytona();
    const sandbox = await open.create();
    open.double.inject({ fault: 'status', on: 'POST /process/execute', status });
    await expect(sandbox.process.executeCommand('touch ~/done')).rejects.toMatchObject({ name, statusCode: status });
    expect((await sandbox.process.executeCommand('ls ~')).result).toBe('');
  });

  test('strikes one sandbox, after some requests, until the faults are cleared', async () => {
    await using open = await openDaytona();
    const [one, other] = [await open.create('one'), await open.create('other')];
    const times = Number.POSITIVE_INFINITY;
    open.double.inject({ fault: 'status', status: 503, sandbox: 'one', skip: 1, times });
    await one.process.executeCommand('true');
    await expect(one.process.executeCommand('true')).rejects.toMatchObject({ statusCode: 503 });
    await expect(one.refreshData()).rejects.toMatchObject({ statusCode: 503 });
    await other.process.executeCommand('true');
    open.double.clearFaults();
    await one.process.executeCommand('true');
  });

  test('is for a route that there is', async () => {
    await using open = await openDaytona();
    expect(() => open.double.inject({ fault: 'silence', on: 'POST /nothing' })).toThrow(/No such route: 'POST/);
  });
});

describe('a connection', () => {
  test('is cut in the middle of an answer, after all was done', async () => {
    await using open = await openDaytona();
    const sandbox = await open.create();
    open.double.inject({ fault: 'cut', on: 'POST /process/execute' });
    await expect(sandbox.process.executeCommand('echo once >>~/log')).rejects.toMatchObject({
      ...{ name: 'DaytonaError', message: 'stream has been aborted', statusCode: 200 },
    });
    expect((await sandbox.process.executeCommand('cat ~/log')).result).toBe('once\n');
    expect(await open.double.requests.at(-2)?.ended).toBe('closed');
  });

  test('is cut in the middle of a download', async () => {
    await using open = await openDaytona();
    const sandbox = await open.create();
    await sandbox.fs.uploadFile(Buffer.alloc(1_000_000), 'big');
    open.double.inject({ fault: 'cut', on: 'POST /files/bulk-download', bytes: 100_000 });
    await expect(sandbox.fs.downloadFile('big')).rejects.toThrow();
  });

  test.each([true, false])('is closed instead of an answer, done: %s', async (hasEffect) => {
    await using open = await openDaytona();
    const sandbox = await open.create();
    open.double.inject({ fault: 'hang-up', on: 'POST /process/execute', hasEffect });
    await expect(sandbox.process.executeCommand('echo done >~/log')).rejects.toMatchObject({
      name: 'DaytonaConnectionError',
      message: 'socket hang up',
    });
    expect((await sandbox.process.executeCommand('cat ~/log')).exitCode).toBe(hasEffect ? 0 : 1);
  });

  test('that broke is tried again by the SDK, where that is harmless', async () => {
    await using open = await openDaytona();
    const sandbox = await open.create();
    open.double.inject({ fault: 'hang-up', on: 'GET /sandbox/{id}', times: 2 });
    await sandbox.refreshData();
    expect(open.double.requests.filter(({ route }) => route === 'GET /sandbox/{id}')).toHaveLength(3);
  });

  test('gets no answer', async () => {
    await using open = await openDaytona({}, { requestTimeoutMs: 100 });
    const sandbox = await open.create();
    open.double.inject({ fault: 'silence', on: 'GET /work-dir' });
    await expect(sandbox.getWorkDir()).rejects.toMatchObject({
      name: 'DaytonaConnectionTimeoutError',
      message: expect.stringContaining('timed out after 100ms'),
    });
  });

  test('gets a late answer', async () => {
    await using open = await openDaytona();
    const sandbox = await open.create();
    open.double.inject({ fault: 'slow', on: 'GET /work-dir', durationMs: 100 });
    const startMs = performance.now();
    await sandbox.getWorkDir();
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(95);
  });

  test('of a log or a terminal is cut or refused', async () => {
    await using open = await openDaytona();
    const sandbox = await open.create();
    open.double.inject(
      { fault: 'cut', on: 'WS /process/pty/create-connect', bytes: 200 },
      { fault: 'status', on: 'WS /process/pty/{pty}/connect', status: 503 },
    );
    const pty = await sandbox.process.createPty({ id: 'one', onData: () => {} });
    const ended = pty.wait();
    await pty.sendInput('seq 1000\n');
    expect(await ended).toEqual({ exitCode: undefined, error: undefined });
    await expect(sandbox.process.connectPty('one', { onData: () => {} })).rejects.toMatchObject({
      name: 'DaytonaConnectionError',
    });
  });
});

describe('a sandbox', () => {
  test('is lost while a command runs: it ends, and nothing knows the sandbox any more', async () => {
    await using open = await openDaytona();
    const sandbox = await open.create('lost');
    open.double.inject({ fault: 'lost', on: 'POST /process/execute', afterMs: 50 });
    await expect(sandbox.process.executeCommand('sleep 100')).rejects.toMatchObject({ name: 'DaytonaConnectionError' });
    await expect(sandbox.process.executeCommand('true')).rejects.toMatchObject({ name: 'DaytonaNotFoundError' });
    await expect(sandbox.refreshData()).rejects.toMatchObject({ name: 'DaytonaNotFoundError' });
    expect(open.double.sandboxes).toEqual([]);
  });

  test.each(['stopped', 'archived'] as const)('is %s behind the back of its user', async (fault) => {
    await using open = await openDaytona();
    const sandbox = await open.create();
    open.double.inject({ fault, on: 'POST /process/execute' });
    await expect(sandbox.process.executeCommand('true')).rejects.toMatchObject({ statusCode: 400 });
    await sandbox.refreshData();
    expect(sandbox.state).toBe(fault);
    await sandbox.start();
    expect((await sandbox.process.executeCommand('true')).exitCode).toBe(0);
  });

  test('is struck at once, terminals and logs included', async () => {
    await using open = await openDaytona();
    const sandbox = await open.create('one');
    const pty = await sandbox.process.createPty({ id: 'one', onData: () => {} });
    // The SDK waits for ever where it is asked after the connection broke.
    const ended = pty.wait();
    await open.double.strike('one', 'lost');
    expect(await ended).toEqual({ exitCode: undefined, error: undefined });
  });
});
