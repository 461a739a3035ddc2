import { randomBytes } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import type { PtyHandle, Sandbox } from '@daytona/sdk';
import { quoteShell, raceAbort } from '@talaria/core';
import type { TransportProcess, TransportRequest } from '../remote/transport.ts';
import { type JobPlace, putCarriedFiles } from './job-place.ts';

const columns = 120;
const rows = 30;
/** The service breaks the connection of a longer message. */
const maxMessageBytes = 32_768;
const endOfTransmission = '\u0004';
const maxReadyMs = 30_000;
const reattachAttempts = 3;
const killedExit = 137;

/** Starts a process in a terminal of the daemon. What the shell says before it becomes the process is left out. */
export async function startTerminal(
  sandbox: Sandbox,
  place: JobPlace,
  request: TransportRequest,
): Promise<TransportProcess> {
  const { words, files = [], signal } = request;
  signal?.throwIfAborted();
  await putCarriedFiles(place, files, signal);
  const id = `talaria-${randomBytes(8).toString('hex')}`;
  const mark = randomBytes(8).toString('hex');
  const output = createTerminalOutput(mark);
  const onData = (bytes: Uint8Array) => output.take(Buffer.from(bytes));
  const pty = await sandbox.process.createPty({
    id,
    cwd: '/',
    cols: columns,
    rows,
    envs: { PS1: '', TERM: 'dumb' },
    onData,
  });
  const terminal = followTerminal(sandbox, { id, pty, onData });
  terminal.exited.then(() => output.stream.push(null));
  try {
    // Typed in two parts, so that what the terminal echoes is not the mark.
    const [half, rest] = [mark.slice(0, 8), mark.slice(8)];
    await pty.sendInput(` stty -echo; cd /; printf '%s' '${half}''${rest}'; stty echo; exec ${quoteShell(words)}\n`);
    const limit = place.clock.sleep(maxReadyMs, { isBackground: true });
    await raceAbort(Promise.race([output.ready, terminal.exited, limit]), signal);
  } catch (error) {
    await terminal.kill();
    throw error;
  }
  return {
    stdin: createTerminalInput(terminal.current),
    stdout: output.stream,
    stderr: null,
    exited: terminal.exited,
    close() {
      output.stream.destroy();
      terminal.letGo();
    },
  };
}

interface TerminalOutput {
  readonly stream: Readable;
  /** Resolves when the mark has come. */
  readonly ready: Promise<void>;
  take(bytes: Buffer): void;
}

function createTerminalOutput(mark: string): TerminalOutput {
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const stream = new Readable({ read: () => undefined });
  let held: Buffer | null = Buffer.alloc(0);
  return {
    stream,
    ready,
    take(bytes) {
      if (stream.destroyed) return;
      if (held === null) {
        stream.push(bytes);
        return;
      }
      held = Buffer.concat([held, bytes]);
      const at = held.indexOf(mark);
      if (at < 0) return;
      const rest = held.subarray(at + mark.length);
      held = null;
      resolve();
      if (rest.length > 0) stream.push(rest);
    },
  };
}

interface Terminal {
  readonly current: () => PtyHandle;
  readonly exited: Promise<number | null>;
  kill(): Promise<void>;
  letGo(): void;
}

/** Watches a terminal to its end. A connection that breaks is made again, without what was written meanwhile. */
function followTerminal(
  sandbox: Sandbox,
  opened: { readonly id: string; readonly pty: PtyHandle; readonly onData: (bytes: Uint8Array) => void },
): Terminal {
  const { id, onData } = opened;
  let pty = opened.pty;
  let isLetGo = false;

  async function follow(): Promise<number | null> {
    for (let attempt = 0; ; attempt += 1) {
      // Asked at once: after the connection broke, it would never answer.
      const { exitCode } = await pty.wait();
      if (exitCode !== undefined) return exitCode;
      if (isLetGo || attempt >= reattachAttempts) return null;
      try {
        pty = await sandbox.process.connectPty(id, { onData });
      } catch (error) {
        // It ended while nobody watched; how, nobody knows.
        return /not found/i.test(String(error)) && (await isThere(sandbox)) ? killedExit : null;
      }
    }
  }
  const exited = follow().catch(() => null);
  return {
    current: () => pty,
    exited,
    async kill() {
      isLetGo = true;
      await pty.kill().catch(() => undefined);
      await pty.disconnect().catch(() => undefined);
    },
    letGo() {
      isLetGo = true;
      pty.disconnect().catch(() => undefined);
    },
  };
}

async function isThere(sandbox: Sandbox): Promise<boolean> {
  try {
    await sandbox.refreshData();
    return sandbox.state === 'started';
  } catch {
    return false;
  }
}

function createTerminalInput(current: () => PtyHandle): Writable {
  async function send(bytes: Buffer): Promise<void> {
    for (let start = 0; start < bytes.length; start += maxMessageBytes) {
      await current().sendInput(bytes.subarray(start, start + maxMessageBytes));
    }
  }
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => void send(chunk).then(() => done(), done),
    // A terminal has no end of input but the character that stands for it.
    final: (done) => void send(Buffer.from(endOfTransmission)).then(() => done(), done),
  });
}
