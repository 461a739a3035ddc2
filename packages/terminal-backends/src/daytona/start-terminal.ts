import { randomBytes } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import type { Sandbox } from '@daytona/sdk';
import { quoteShell, raceAbort } from '@talaria/core';
import type { TransportProcess, TransportRequest } from '../remote/transport.ts';
import { daytonaError } from './daytona-error.ts';
import { type JobPlace, putCarriedFiles } from './job-place.ts';
import { openTerminalConnection, type TerminalConnection } from './terminal-connection.ts';

/** The service breaks the connection of a longer message. */
const maxMessageBytes = 32_768;
const endOfTransmission = '\u0004';
const maxReadyMs = 30_000;

/** Starts a process in a terminal of the daemon. What the shell says before it becomes the process is left out. */
export async function startTerminal(
  sandbox: Sandbox,
  place: JobPlace,
  request: TransportRequest,
): Promise<TransportProcess> {
  const { words, files = [], signal } = request;
  signal?.throwIfAborted();
  await putCarriedFiles(place, files, signal);
  const mark = randomBytes(8).toString('hex');
  const output = createTerminalOutput(mark);
  const terminal = await openTerminalConnection(sandbox, {
    clock: place.clock,
    hear: output.take,
    // The mark may have been lost with the connection.
    onReconnect: output.open,
  });
  terminal.exited.then(output.end);
  try {
    // Typed in two parts, so that what the terminal echoes is not the mark.
    const [half, rest] = [mark.slice(0, 8), mark.slice(8)];
    const text = ` stty -echo; cd /; printf '%s' '${half}''${rest}'; stty echo; exec ${quoteShell(words)}\n`;
    await terminal.send(Buffer.from(text));
    const limit = place.clock.sleep(maxReadyMs, { isBackground: true }).then(() => 'late' as const);
    const outcome = await raceAbort(Promise.race([output.opened, terminal.exited, limit]), signal);
    if (outcome === 'late') throw lateError();
  } catch (error) {
    await terminal.kill();
    throw error;
  }
  return {
    stdin: createTerminalInput(terminal),
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
  /** Resolves when what follows is the process's. */
  readonly opened: Promise<void>;
  open(): void;
  take(bytes: Buffer): void;
  end(): void;
}

/** Output of a terminal from a mark on. Nobody makes the terminal wait: whoever reads it reads on. */
function createTerminalOutput(mark: string): TerminalOutput {
  const opening = Promise.withResolvers<void>();
  const stream = new Readable({ read: () => undefined });
  let held: Buffer | null = Buffer.alloc(0);

  function open(): void {
    held = null;
    opening.resolve();
  }
  function push(bytes: Buffer | null): void {
    if (!stream.destroyed && bytes?.length !== 0) stream.push(bytes);
  }
  return {
    stream,
    opened: opening.promise,
    open,
    take(bytes) {
      if (held === null) {
        push(bytes);
        return;
      }
      held = Buffer.concat([held, bytes]);
      const at = held.indexOf(mark);
      if (at < 0) return;
      const rest = held.subarray(at + mark.length);
      open();
      push(rest);
    },
    end: () => push(null),
  };
}

function createTerminalInput(terminal: TerminalConnection): Writable {
  async function send(bytes: Buffer): Promise<void> {
    for (let start = 0; start < bytes.length; start += maxMessageBytes) {
      await terminal.send(bytes.subarray(start, start + maxMessageBytes));
    }
  }
  const input = new Writable({
    write: (chunk: Buffer, _encoding, done) => void send(chunk).then(() => done(), done),
    // A terminal has no end of input but the character that stands for it.
    final: (done) => void send(Buffer.from(endOfTransmission)).then(() => done(), done),
  });
  terminal.exited.then(() => input.destroy());
  return input;
}

function lateError(): unknown {
  return daytonaError(
    `The terminal was not ready within ${maxReadyMs} ms`,
    { phase: 'exec', started: true },
    { code: 'sandbox.failed', hint: 'See what the login profile of the image does, and whether the sandbox is busy.' },
  );
}
