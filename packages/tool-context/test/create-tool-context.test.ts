import { describe, expect, test } from '@jest/globals';
import { SandboxError } from '@talaria/core';
import { createManualClock, createMemoryLogger } from '@talaria/core/testing';
import { createSandboxLease, type RunOptions, type RunResult, type Sandbox } from '@talaria/terminal-backends';
import { createToolContext, type ToolContext, type ToolContextOptions } from '@talaria/tool-context';
import { createStubSandbox, createStubTools, quietRun } from './stub-sandbox.ts';

function contextOver(methods: Partial<Sandbox>, options: Partial<ToolContextOptions> = {}): ToolContext {
  const lease = createSandboxLease(async () => createStubSandbox(methods));
  return createToolContext({ taskId: 'task', lease, tools: createStubTools(), ...options });
}

const lost = new SandboxError('the container is gone', {
  code: 'sandbox.lost',
  backend: 'docker',
  phase: 'exec',
  started: true,
});

/** A command that runs until it is stopped. */
function endless(_command: unknown, options: RunOptions = {}): Promise<RunResult> {
  return new Promise((resolve) => {
    options.signal?.addEventListener('abort', () => resolve({ ...quietRun, kind: 'interrupted', output: 'part' }));
  });
}

describe('a command', () => {
  test('gets the limits of the context where the call names none', async () => {
    const seen: RunOptions[] = [];
    const run = async (_command: string, options: RunOptions = {}): Promise<RunResult> => {
      seen.push(options);
      return { ...quietRun, kind: 'exited', exitCode: 3, output: ' out \n', truncatedBytes: 1 };
    };
    const context = contextOver({ run }, { maxOutputBytes: 9 });
    expect(await context.terminal('x')).toEqual({
      output: ' out \n',
      exitCode: 3,
      isTimedOut: false,
      isTruncated: true,
    });
    await context.terminal('x', { timeoutMs: 5, cwd: '/a', env: { A: '1' }, stdin: 'in', maxOutputBytes: 7 });
    expect(seen).toMatchObject([
      { timeoutMs: 180_000, maxOutputBytes: 9 },
      { timeoutMs: 5, maxOutputBytes: 7, cwd: '/a', env: { A: '1' }, stdin: 'in' },
    ]);
  });

  test('that ran out of time says 124 and keeps what it wrote', async () => {
    const run = async (): Promise<RunResult> => ({ ...quietRun, kind: 'timed-out', timeoutMs: 5, output: 'part' });
    expect(await contextOver({ run }).terminal('x')).toEqual({
      output: 'part',
      exitCode: 124,
      isTimedOut: true,
      isTruncated: false,
    });
  });

  test('whose backend forgets the time is stopped ten seconds later', async () => {
    const clock = createManualClock();
    const outcome = contextOver({ run: endless }, { clock }).terminal('x', { timeoutMs: 1_000 });
    await clock.advance(10_999);
    expect(clock.pendingCount).toBe(1);
    await clock.advance(1);
    expect(await outcome).toMatchObject({ output: 'part', exitCode: 124, isTimedOut: true });
    expect(clock.pendingCount).toBe(0);
  });

  test('that cannot even be stopped in time is a failure of the sandbox', async () => {
    const clock = createManualClock();
    const run = (_command: string, { signal }: RunOptions = {}): Promise<RunResult> =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const outcome = contextOver({ run }, { clock }).terminal('x', { timeoutMs: 1_000 });
    const check = expect(outcome).rejects.toMatchObject({ code: 'sandbox.timeout', hint: expect.any(String) });
    await clock.advance(11_000);
    await check;
  });

  test('rejects with the reason of the abort, and leaves no timer', async () => {
    const clock = createManualClock();
    const controller = new AbortController();
    const context = contextOver({ run: endless }, { clock, signal: controller.signal });
    const outcome = context.terminal('x');
    const reason = new Error('stop');
    const check = expect(outcome).rejects.toBe(reason);
    await clock.advance(1);
    controller.abort(reason);
    await check;
    expect(clock.pendingCount).toBe(0);
    await expect(context.exists('/x')).rejects.toBe(reason);
    await expect(context.callTool('x', {})).rejects.toBe(reason);
  });

  test('that somebody else ended is a failure, not an outcome', async () => {
    const run = async (): Promise<RunResult> => ({ ...quietRun, kind: 'interrupted' });
    await expect(contextOver({ run }).terminal('x')).rejects.toMatchObject({ code: 'sandbox.failed' });
  });
});

describe('a lost sandbox', () => {
  const lose = async (): Promise<never> => {
    throw lost;
  };
  const context = contextOver({ run: lose, runProgram: lose, stat: lose, readFile: lose, writeFile: lose });

  test.each<[string, (context: ToolContext) => Promise<unknown>]>([
    ['terminal', (it) => it.terminal('true')],
    ['exec', (it) => it.exec(['true'])],
    ['readText', (it) => it.readText('/x')],
    ['readBytes', (it) => it.readBytes('/x')],
    ['writeFile', (it) => it.writeFile('/x', '')],
    ['exists', (it) => it.exists('/x')],
    ['search', (it) => it.search('x')],
    ['downloadFile', (it) => it.downloadFile('/x', '/nowhere')],
  ])('%s rejects: never a wrong answer', async (_name, act) => {
    await expect(act(context)).rejects.toBe(lost);
  });
});

describe('the sandbox', () => {
  const stat = async (): Promise<null> => null;

  test('is opened on first use, and the context says so', async () => {
    const context = contextOver({ stat });
    expect(context.isCreatedByVerifier).toBe(false);
    expect(await context.exists('/x')).toBe(false);
    expect(context.isCreatedByVerifier).toBe(true);
  });

  test('is not called created where it was open before', async () => {
    const lease = createSandboxLease(async () => createStubSandbox({ stat }));
    await lease.open();
    const context = createToolContext({ taskId: 'task', lease, tools: createStubTools() });
    await context.exists('/x');
    expect(context.isCreatedByVerifier).toBe(false);
  });

  test('that a called tool opened counts as created', async () => {
    const lease = createSandboxLease(async () => createStubSandbox({}));
    const tools = createStubTools();
    const { dispatch } = tools;
    Object.assign(tools, {
      dispatch: async (...given: Parameters<typeof dispatch>) => {
        await lease.open();
        return dispatch(...given);
      },
    });
    const context = createToolContext({ taskId: 'task', lease, tools });
    await context.callTool('x', { a: 1 });
    expect(context.isCreatedByVerifier).toBe(true);
    expect(tools.calls).toEqual([{ name: 'x', arguments: '{"a":1}' }]);
  });
});

describe('reading', () => {
  const bytesOf = (text: string) => async () => {
    const bytes = new TextEncoder().encode(text);
    return { bytes, sizeBytes: bytes.length, isTruncated: false };
  };

  test('an empty file gives an empty text', async () => {
    expect(await contextOver({ readFile: bytesOf('') }).readText('/x')).toBe('');
  });

  test('keeps every character, a byte-order mark too', async () => {
    const text = '\uFEFF  a\r\n\tb\u0000 💡 ';
    expect(await contextOver({ readFile: bytesOf(text) }).readText('/x')).toBe(text);
  });

  test('a part of a text is refused', async () => {
    const readFile: Sandbox['readFile'] = async () => ({ bytes: new Uint8Array(1), sizeBytes: 9e9, isTruncated: true });
    await expect(contextOver({ readFile }).readText('/x')).rejects.toMatchObject({
      code: 'sandbox.too-large',
      hint: expect.any(String),
    });
  });
});

describe('searching', () => {
  const stat: Sandbox['stat'] = async () => ({ kind: 'directory', sizeBytes: 0, mode: 0o755, modifiedAt: 0 });

  test('does with a grep that knows only the portable options', async () => {
    const seen: (readonly string[])[] = [];
    const runProgram = async (words: readonly string[]): Promise<RunResult> => {
      seen.push(words);
      return seen.length === 1
        ? { ...quietRun, kind: 'exited', exitCode: 1, stderr: 'grep: unrecognized option: Z' }
        : { ...quietRun, kind: 'exited', exitCode: 0, output: '/w/a b:7:x: y\n/w/c:10:\n' };
    };
    expect(await contextOver({ stat, runProgram }).search('-x', { path: '/w' })).toEqual([
      { path: '/w/a b', line: 7, content: 'x: y' },
      { path: '/w/c', line: 10, content: '' },
    ]);
    expect(seen[1]).toEqual(['grep', '-rnHE', '-e', '-x', '--', '/w']);
  });

  test('keeps what was found where some file could not be read', async () => {
    const runProgram = async (): Promise<RunResult> => ({
      ...quietRun,
      kind: 'exited',
      exitCode: 2,
      output: '/w/a\u00001:x\n',
      stderr: 'grep: /w/b: Permission denied',
    });
    expect(await contextOver({ stat, runProgram }).search('x')).toEqual([{ path: '/w/a', line: 1, content: 'x' }]);
  });

  test('that ran out of time is no empty result', async () => {
    const runProgram = async (): Promise<RunResult> => ({ ...quietRun, kind: 'timed-out', timeoutMs: 5 });
    await expect(contextOver({ stat, runProgram }).search('x')).rejects.toMatchObject({ code: 'sandbox.timeout' });
  });
});

describe('transfers', () => {
  test.each<[string, () => Promise<unknown>, string]>([
    ['a host file that is not there', () => contextOver({}).uploadFile('/no/such/file', '/x'), 'sandbox.not-found'],
    ['a host folder as a file', () => contextOver({}).uploadFile('/', '/x'), 'sandbox.is-directory'],
    ['a host file as a folder', () => contextOver({}).uploadFolder('/etc/passwd', '/x'), 'sandbox.not-directory'],
  ])('%s is refused before anything moves', async (_case, act, code) => {
    await expect(act()).rejects.toMatchObject({ code, phase: 'transfer' });
  });

  test('without a checksum are not believed', async () => {
    const upload: Sandbox['upload'] = async () => ({ files: 1, bytes: 3, skipped: [] });
    await expect(contextOver({ upload }).uploadFile('/etc/passwd', '/x')).rejects.toMatchObject({
      code: 'sandbox.integrity',
    });
  });
});

describe('cleanup', () => {
  test('ends the processes once, whoever asks how often', async () => {
    let count = 0;
    const killAll = async (): Promise<void> => {
      count += 1;
    };
    const context = contextOver({ killAll });
    await context.sandbox();
    await Promise.all([context.cleanup(), context.cleanup()]);
    await context.cleanup();
    expect(count).toBe(1);
  });

  test('never throws, and says what failed', async () => {
    const logger = createMemoryLogger();
    const killAll = async (): Promise<never> => {
      throw lost;
    };
    const context = contextOver({ killAll }, { logger });
    await context.sandbox();
    await context.cleanup();
    expect(logger.entries).toContainEqual({
      level: 'warn',
      event: 'tool-context.cleanup-failed',
      fields: { taskId: 'task', outcome: 'failed' },
    });
  });

  test('does not wait for ever', async () => {
    const logger = createMemoryLogger();
    const killAll = () => new Promise<never>(() => undefined);
    const context = contextOver({ killAll }, { logger, cleanupTimeoutMs: 1 });
    await context.sandbox();
    await context.cleanup();
    expect(logger.entries.map((entry) => entry.fields)).toContainEqual({ taskId: 'task', outcome: 'timed-out' });
  });
});

test.each(['defaultTimeoutMs', 'maxOutputBytes', 'cleanupTimeoutMs'])('a senseless %s is refused', (name) => {
  expect(() => contextOver({}, { [name]: 0 })).toThrow(`ToolContextOptions.${name} is 0`);
});
