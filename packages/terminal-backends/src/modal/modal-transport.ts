import { type Clock, ConfigError, errorMessage, isAbortOf, type Logger, openDeadline, raceAbort } from '@talaria/core';
import type { Sandbox } from 'modal';
import type { SandboxTransport, TransportProcess, TransportRequest } from '../remote/transport.ts';
import { explainModalError, isGone, modalError } from './modal-error.ts';
import { adoptProcess } from './modal-process.ts';

/** What a transport into one sandbox needs. */
export interface ModalTransportParts {
  readonly sandbox: Sandbox;
  /** Address of the server, for messages. */
  readonly serverUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A transport that can be told that its sandbox is let go of. */
export interface ModalTransport extends SandboxTransport {
  /** Asks for nothing any more. */
  release(): void;
}

/** The SDK knows one size only, 24 by 80. */
const sizeTerminal = ['sh', '-c', 'stty rows 30 cols 120 2>/dev/null; exec "$@"', 'sh'];
/** Modal's limit on all words of a command. */
const maxWordBytes = 65_536;
const maxAliveCheckMs = 20_000;

/**
 * Starts processes in a sandbox. No time limit is ever handed to the SDK: it would end the wait for the output, and lose
 * what had come, but not the process (spec/terminal-backends.md 1.3).
 */
export function createModalTransport({ sandbox, serverUrl, clock, logger }: ModalTransportParts): ModalTransport {
  const released = new AbortController();

  async function startProcess(request: TransportRequest): Promise<TransportProcess> {
    const { words, hasStdin = false, pty = false, signal, onStart } = request;
    signal?.throwIfAborted();
    onStart?.();
    const started = sandbox
      .exec([...(pty ? sizeTerminal : []), ...words], { mode: 'binary', workdir: '/', ...(pty ? { pty } : {}) })
      .then((process) => adoptProcess(process, { hasStdin, hasPty: pty, released: released.signal }));
    try {
      return await raceAbort(started, signal);
    } catch (error) {
      // Its input ends, so that what only waits for that ends as well.
      if (isAbortOf(error, signal)) discardLate(started);
      throw error;
    }
  }

  return {
    kind: 'modal',
    isInteractive: true,
    hasPty: true,
    // Memory, which no snapshot holds.
    memoryFolder: '/dev/shm',
    async start(request) {
      checkLength(request.words);
      try {
        return await startProcess(request);
      } catch (error) {
        throw explainStart(error, request, serverUrl);
      }
    },
    async isAlive(signal) {
      using deadline = openDeadline(clock, maxAliveCheckMs, signal);
      try {
        return (await raceAbort(sandbox.poll(), deadline.signal)) === null;
      } catch (error) {
        // Gone, or nobody there to ask: either way it cannot be used.
        if (!isAbortOf(error, signal) && !isGone(error))
          logger.warn('modal.no-answer', { message: errorMessage(error) });
        return false;
      }
    },
    release: () => released.abort(),
  };
}

function discardLate(started: Promise<TransportProcess>): void {
  started.then(
    (late) => late.close(),
    () => undefined,
  );
}

function checkLength(words: readonly string[]): void {
  const length = words.reduce((sum, word) => sum + Buffer.byteLength(word), 0);
  if (length < maxWordBytes) return;
  throw new ConfigError(`A command of ${length} bytes is too long for Modal, which takes ${maxWordBytes}`, {
    code: 'config.text-too-long',
    hint: 'Put the text into a file and run that.',
  });
}

const missingProgram = /executable file not found|no such file or directory|command not found/i;

function explainStart(error: unknown, { words, signal }: TransportRequest, serverUrl: string): unknown {
  const message = errorMessage(error);
  if (!isAbortOf(error, signal) && missingProgram.test(message)) {
    return modalError(
      `Modal cannot start ${words[0]}: ${message}`,
      { phase: 'exec' },
      { code: 'sandbox.missing-program', hint: 'Use an image that has it.', cause: error },
    );
  }
  return explainModalError(error, { action: `start ${words[0]}`, phase: 'exec', serverUrl, signal });
}
