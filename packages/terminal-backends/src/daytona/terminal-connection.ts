import { randomBytes } from 'node:crypto';
import type { PtyHandle, Sandbox } from '@daytona/sdk';
import { type Clock, errorMessage } from '@talaria/core';

/** A shell in a terminal of the daemon. */
export interface TerminalConnection {
  /** Exit code of the shell; `null` where nobody knows it. Never rejects. */
  readonly exited: Promise<number | null>;
  /** Rejects where the terminal takes no more. */
  send(bytes: Buffer): Promise<void>;
  /** Ends the terminal and what runs in it. Never throws. */
  kill(): Promise<void>;
  /** Closes the connection, and ends nothing. */
  letGo(): void;
}

/** What a connection needs. */
export interface TerminalParts {
  readonly clock: Clock;
  readonly hear: (bytes: Buffer) => void;
  /** Hears that the connection broke and is there again; what was written meanwhile is lost. */
  readonly onReconnect: () => void;
}

const columns = 120;
const rows = 30;
const maxReconnects = 5;
const sendPauseMs = 100;
const maxSendAttempts = 50;
/** Of a terminal that ended while nobody watched. */
const unknownExit = 137;

/**
 * Opens a terminal of 30 rows and 120 columns, and connects to it again when that breaks: the daemon closes the connection
 * of who is too slow. @throws what the SDK throws
 */
export async function openTerminalConnection(sandbox: Sandbox, parts: TerminalParts): Promise<TerminalConnection> {
  const { clock, hear, onReconnect } = parts;
  const id = `talaria-${randomBytes(8).toString('hex')}`;
  const onData = (bytes: Uint8Array) => hear(Buffer.from(bytes));
  const envs = { PS1: '', TERM: 'dumb' };
  let pty = await sandbox.process.createPty({ id, cwd: '/', cols: columns, rows, envs, onData });
  let isLetGo = false;
  let hasEnded = false;

  async function watch(): Promise<number | null> {
    for (let attempt = 0; ; attempt += 1) {
      // Asked at once: after the connection broke, it would never answer.
      const { exitCode } = await pty.wait();
      if (exitCode !== undefined) return exitCode;
      if (isLetGo || attempt >= maxReconnects) return null;
      const next = await reconnect();
      if (next === null) return null;
      if (next === 'ended') return unknownExit;
      pty = next;
      onReconnect();
    }
  }

  async function reconnect(): Promise<PtyHandle | 'ended' | null> {
    try {
      return await sandbox.process.connectPty(id, { onData });
    } catch (error) {
      return /session not found/i.test(errorMessage(error)) ? 'ended' : null;
    }
  }

  const exited = watch()
    .catch(() => null)
    .finally(() => {
      hasEnded = true;
    });

  return {
    exited,
    async send(bytes) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          await pty.sendInput(bytes);
          return;
        } catch (error) {
          // Nothing was sent; a connection that broke may come back.
          if (hasEnded || isLetGo || attempt >= maxSendAttempts) throw error;
          await clock.sleep(sendPauseMs, { isBackground: true });
        }
      }
    },
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
