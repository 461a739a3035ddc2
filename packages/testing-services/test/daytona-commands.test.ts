import { setTimeout as sleep } from 'node:timers/promises';
import type { PtyHandle, Sandbox } from '@daytona/sdk';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { describeIsolated, type OpenDaytona, openDaytona } from './open-daytona.ts';

let open: OpenDaytona;
let sandbox: Sandbox;

beforeAll(async () => {
  open = await openDaytona();
  sandbox = await open.create();
});

afterAll(async () => {
  await open[Symbol.asyncDispose]();
});

describeIsolated('a command', () => {
  test('gives both streams as one text, in their order, and the exit code', async () => {
    const { exitCode, result } = await sandbox.process.executeCommand('echo one; echo two >&2; echo three; exit 7');
    expect({ exitCode, result }).toEqual({ exitCode: 7, result: 'one\ntwo\nthree\n' });
  });

  test('runs in the working folder, or where it is told', async () => {
    expect((await sandbox.process.executeCommand('pwd')).result).toBe(`${await sandbox.getWorkDir()}\n`);
    expect((await sandbox.process.executeCommand('pwd', '/tmp')).result).toBe('/tmp\n');
  });

  test('is not started in a folder that does not exist', async () => {
    await expect(sandbox.process.executeCommand('touch /tmp/started', '/nowhere')).rejects.toMatchObject({
      name: 'DaytonaValidationError',
      statusCode: 400,
    });
    expect((await sandbox.process.executeCommand('ls /tmp')).result).not.toContain('started');
  });

  test('gets the variables of the call', async () => {
    const { result } = await sandbox.process.executeCommand('echo "$WORD"', undefined, { WORD: "it's $HOME" });
    expect(result).toBe("it's $HOME\n");
  });

  test('has the rest of the script as its standard input', async () => {
    expect((await sandbox.process.executeCommand('cat\necho this is read, not run')).result).toBe(
      'echo this is read, not run',
    );
  });

  test('may be longer than the system lets arguments be', async () => {
    const { result } = await sandbox.process.executeCommand(`printf %s '${'x'.repeat(300_000)}' | wc -c`);
    expect(result.trim()).toBe('300000');
  });

  test('loses bytes that are no UTF-8', async () => {
    expect((await sandbox.process.executeCommand("printf 'a\\377b'")).result).toBe('a�b');
  });

  test('waits for background programs that keep its output', async () => {
    const { result } = await sandbox.process.executeCommand('(sleep 0.2; echo late) & echo early');
    expect(result).toBe('early\nlate\n');
  });

  test('is killed with its group when the time is over', async () => {
    const clock = createManualClock();
    await using other = await openDaytona({ clock });
    const slow = await other.create();
    const run = slow.process.executeCommand('sleep 4711 & echo > /tmp/up; sleep 4711', undefined, undefined, 5);
    const failure = expect(run).rejects.toMatchObject({
      name: 'DaytonaProcessExecutionTimeoutError',
      statusCode: 408,
      code: 'PROCESS_EXECUTION_TIMEOUT',
    });
    while ((await slow.process.executeCommand('cat /tmp/up')).exitCode !== 0) await sleep(5);
    await clock.advance(5000);
    await failure;
    const left = await slow.process.executeCommand("grep -slz '^4711$' /proc/[0-9]*/cmdline; true");
    expect(left.result).toBe('');
  });

  test('that leaves the group survives that, with setsid', async () => {
    await expect(
      sandbox.process.executeCommand('setsid sleep 4712 >/dev/null 2>&1 & sleep 4712', undefined, undefined, 1),
    ).rejects.toMatchObject({ statusCode: 408 });
    const left = await sandbox.process.executeCommand("grep -slz '^4712$' /proc/[0-9]*/cmdline | wc -l");
    expect(left.result.trim()).toBe('1');
    await sandbox.process.executeCommand('pkill -f "sleep 4712"; true');
  });

  test('goes on when its caller goes away', async () => {
    await using impatient = await openDaytona({}, { requestTimeoutMs: 200 });
    const busy = await impatient.create();
    await expect(busy.process.executeCommand('sleep 0.5; echo done >/tmp/done')).rejects.toMatchObject({
      name: 'DaytonaConnectionTimeoutError',
    });
    await impatient.double.whenRequested('POST /process/execute');
    const waited = await busy.process.executeCommand(
      'for i in $(seq 100); do [ -f /tmp/done ] && break; sleep 0.05; done; cat /tmp/done',
      undefined,
      undefined,
      10,
    );
    expect(waited.result).toBe('done\n');
  });
});

describeIsolated('a session', () => {
  test('keeps the folder and the variables from one command to the next', async () => {
    await sandbox.process.createSession('state');
    await sandbox.process.executeSessionCommand('state', { command: 'cd /tmp; WORD=kept' });
    const { stdout, exitCode } = await sandbox.process.executeSessionCommand('state', { command: 'pwd; echo $WORD' });
    expect({ stdout, exitCode }).toEqual({ stdout: '/tmp\nkept\n', exitCode: 0 });
  });

  test('keeps the streams apart, and changes the bytes', async () => {
    await sandbox.process.createSession('streams');
    const { stdout, stderr } = await sandbox.process.executeSessionCommand('streams', {
      command: "printf 'a\\0b'; echo wrong >&2; exit_code() { return 3; }; exit_code",
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'ab\n', stderr: 'wrong\n' });
  });

  test('runs in the background: followed, fed, and asked how it ended', async () => {
    await sandbox.process.createSession('background');
    const { cmdId } = await sandbox.process.executeSessionCommand('background', {
      command: 'echo ready; read name; echo "hello $name" >&2; (exit 4)',
      runAsync: true,
    });
    expect((await sandbox.process.getSessionCommand('background', cmdId)).exitCode).toBeUndefined();
    const heard = { out: '', err: '' };
    const ready = Promise.withResolvers<void>();
    const followed = sandbox.process.getSessionCommandLogs(
      'background',
      cmdId,
      (text) => {
        heard.out += text;
        if (heard.out.includes('ready')) ready.resolve();
      },
      (text) => {
        heard.err += text;
      },
    );
    await ready.promise;
    await sandbox.process.sendSessionCommandInput('background', cmdId, 'world');
    await followed;
    expect(heard).toEqual({ out: 'ready\nworld\n', err: 'hello world\n' });
    expect((await sandbox.process.getSessionCommand('background', cmdId)).exitCode).toBe(4);
    await expect(sandbox.process.sendSessionCommandInput('background', cmdId, 'more')).rejects.toMatchObject({
      name: 'DaytonaCommandAlreadyCompletedError',
      statusCode: 410,
    });
    const logs = await sandbox.process.getSessionCommandLogs('background', cmdId);
    expect(logs).toEqual({ output: expect.any(String), stdout: 'ready\nworld\n', stderr: 'hello world\n' });
  });

  test('follows a long log to its end, in which the SDK leaves marks that end a message', async () => {
    await sandbox.process.createSession('long');
    const { cmdId } = await sandbox.process.executeSessionCommand('long', { command: 'seq 20000', runAsync: true });
    let text = '';
    await sandbox.process.getSessionCommandLogs(
      'long',
      cmdId,
      (piece) => {
        text += piece;
      },
      () => {},
    );
    expect(text).toContain('\u0001');
    const lines = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`);
    expect(text.replaceAll('\u0001', '') === lines.join('')).toBe(true);
  });

  test('ends with everything in its group when it is deleted', async () => {
    await sandbox.process.createSession('gone');
    const { cmdId } = await sandbox.process.executeSessionCommand('gone', { command: 'sleep 4713', runAsync: true });
    const followed = sandbox.process.getSessionCommandLogs(
      'gone',
      cmdId,
      () => {},
      () => {},
    );
    await sandbox.process.deleteSession('gone');
    await followed;
    await expect(sandbox.process.getSession('gone')).rejects.toMatchObject({ statusCode: 404 });
    const left = await sandbox.process.executeCommand("grep -slz '^4713$' /proc/[0-9]*/cmdline; true");
    expect(left.result).toBe('');
  });

  test('has a name that is taken once', async () => {
    await sandbox.process.createSession('twice');
    await expect(sandbox.process.createSession('twice')).rejects.toMatchObject({ name: 'DaytonaConflictError' });
    expect((await sandbox.process.listSessions()).map(({ sessionId }) => sessionId)).toContain('twice');
  });
});

describeIsolated('a terminal', () => {
  async function openTerminal(id: string): Promise<{ pty: PtyHandle; until: (text: string) => Promise<Buffer> }> {
    let received = Buffer.alloc(0);
    let wake = (): void => {};
    const pty = await sandbox.process.createPty({
      id,
      cols: 91,
      rows: 33,
      envs: { PS1: '' },
      onData: (bytes) => {
        received = Buffer.concat([received, bytes]);
        wake();
      },
    });
    return {
      pty,
      async until(text) {
        while (!received.includes(text)) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const all = received;
        received = Buffer.alloc(0);
        return all;
      },
    };
  }

  test('has the size that was asked for, and the one that it is given', async () => {
    const { pty, until } = await openTerminal('size');
    await pty.sendInput("stty size; echo 'E''ND'\n");
    expect((await until('END\r')).toString()).toContain('33 91');
    await pty.resize(100, 40);
    await pty.sendInput("stty size; echo 'E''ND'\n");
    expect((await until('END\r')).toString()).toContain('40 100');
    await pty.sendInput('exit 5\n');
    expect(await pty.wait()).toEqual({ exitCode: 5, error: 'non-zero exit' });
  });

  test('passes every byte both ways, once it is raw', async () => {
    const { pty, until } = await openTerminal('raw');
    await pty.sendInput("stty raw -echo; printf 'READ''Y'; exec cat\n");
    await until('READY');
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7 + (index >> 8)) & 255));
    const message = Buffer.concat([bytes, Buffer.from('--end--')]);
    for (let start = 0; start < message.length; start += 32_768) {
      await pty.sendInput(message.subarray(start, start + 32_768));
    }
    expect((await until('--end--')).equals(message)).toBe(true);
    await pty.kill();
    expect(await pty.wait()).toEqual({ exitCode: 137, error: 'SIGKILL' });
    expect(await sandbox.process.listPtySessions()).toEqual([]);
  });

  test('breaks the connection of a message of more than 64 KiB, and can be attached to again', async () => {
    const { pty } = await openTerminal('limit');
    const ended = pty.wait();
    await pty.sendInput(Buffer.alloc(65 * 1024, 'a'));
    expect(await ended).toEqual({ exitCode: undefined, error: undefined });
    const again = await sandbox.process.connectPty('limit', { onData: () => {} });
    expect(again.isConnected()).toBe(true);
    await again.kill();
  });

  test('that does not exist cannot be attached to', async () => {
    await expect(sandbox.process.connectPty('nobody', { onData: () => {} })).rejects.toThrow(/PTY session not found/);
  });
});
