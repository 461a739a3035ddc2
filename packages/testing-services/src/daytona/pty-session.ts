import { quoteShell } from '@talaria/core';
import type { SandboxRoot } from '../sandbox-root/sandbox-root.ts';
import type { DoubleSocket } from './double-socket.ts';

/** Bytes that may wait for a slow client before it is dropped. */
const maxWaitingBytes = 256 * 32 * 1024;

/** By this a client says that it understands the message about the exit. */
export const exitControlProtocol = 'X-Daytona-Pty-Exit-Control';

/** What a terminal is asked to be. */
export interface PtyOptions {
  readonly id: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
  readonly shell: string;
  /** File in the sandbox that gets the name of the terminal. */
  readonly nameFile: string;
}

/** A shell in a terminal, with any number of clients. */
export interface PtySession {
  readonly id: string;
  readonly cwd: string;
  readonly createdAtMs: number;
  readonly columns: number;
  readonly rows: number;
  readonly ended: Promise<number>;
  attach(socket: DoubleSocket): void;
  resize(columns: number, rows: number): Promise<void>;
  kill(): Promise<void>;
}

/** Starts a terminal, by util-linux's `script`, which passes bytes on both ways as they are. */
export async function openPtySession(root: SandboxRoot, options: PtyOptions, nowMs: number): Promise<PtySession> {
  const { id, cwd, env, shell, nameFile } = options;
  let { columns, rows } = options;
  const inside = `stty rows ${rows} cols ${columns}; tty >${quoteShell([nameFile])}; exec ${quoteShell([shell])} -i -l`;
  const terminal = await root.spawn(['script', '-qefc', inside, '/dev/null'], {
    cwd,
    env: { TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
  });
  terminal.stderr.resume();
  const sockets = new Set<DoubleSocket>();
  terminal.stdout.on('data', (bytes: Buffer) => {
    for (const socket of sockets) {
      // The daemon never makes the terminal wait for a client.
      if (socket.waitingBytes > maxWaitingBytes) socket.close(1008, 'slow consumer');
      else socket.send(bytes);
    }
  });
  // What the program said last may be read only after it is gone.
  const closed = new Promise<void>((resolve) => terminal.stdout.once('close', resolve));
  const ended = closed.then(() => terminal.exited);
  return {
    id,
    cwd,
    createdAtMs: nowMs,
    get columns() {
      return columns;
    },
    get rows() {
      return rows;
    },
    ended,
    attach(socket) {
      sockets.add(socket);
      socket.onClose(() => sockets.delete(socket));
      socket.onMessage((bytes) => terminal.stdin.write(bytes));
      socket.send(JSON.stringify({ type: 'control', status: 'connected' }));
      // Also to whoever comes too late.
      void ended.then((exitCode) => tellExit(socket, exitCode));
    },
    async resize(newColumns, newRows) {
      columns = newColumns;
      rows = newRows;
      const command = `stty rows ${rows} cols ${columns} <"$(cat ${quoteShell([nameFile])})"`;
      const resized = await root.spawn(['/bin/sh', '-c', command], { env });
      await resized.exited;
    },
    async kill() {
      // The shell is the leader of another session; it ends with its terminal.
      await terminal.signal('SIGKILL');
      await ended;
    },
  };
}

function tellExit(socket: DoubleSocket, exitCode: number): void {
  const outcome = exitCode === 0 ? { exitCode } : { exitCode, exitReason: exitReason(exitCode) };
  if (socket.protocol === exitControlProtocol) {
    socket.send(JSON.stringify({ type: 'control', status: 'exited', ...outcome }));
  }
  socket.close(exitCode === 0 ? 1000 : 1011, JSON.stringify(outcome));
}

function exitReason(exitCode: number): string {
  const names: Readonly<Record<number, string>> = { 130: 'Ctrl+C', 137: 'SIGKILL', 143: 'SIGTERM' };
  return names[exitCode] ?? (exitCode > 128 ? `signal ${exitCode - 128}` : 'non-zero exit');
}
