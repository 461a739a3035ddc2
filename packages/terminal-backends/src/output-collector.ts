import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, errorMessage, type Logger } from '@talaria/core';
import { createOutputBuffer } from './output-buffer.ts';

/** What to keep of a command's output. */
export interface CollectOptions {
  readonly maxOutputBytes: number;
  /** Hears each piece, before any limit. */
  readonly onOutput: ((chunk: Uint8Array) => void) | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** What was kept of a command's output. */
export interface CapturedOutput {
  readonly output: string;
  readonly outputBytes: Uint8Array;
  readonly stderr: string;
  readonly truncatedBytes: number;
}

/** Collects the output of one command. */
export interface OutputCollector {
  /** Takes a piece of standard output, or of both where they are merged. */
  takeOutput(chunk: Uint8Array): void;
  /** Takes a piece of standard error that is kept apart. */
  takeStderr(chunk: Uint8Array): void;
  /** Counts bytes of standard output that were left out on the way here. */
  skipOutput(byteCount: number): void;
  /** Counts bytes of standard error that were left out on the way here. */
  skipStderr(byteCount: number): void;
  /** What was kept so far. */
  read(): CapturedOutput;
  /** When the last piece came, in milliseconds of the monotonic clock. */
  readonly lastChunkAtMs: number;
}

/** Creates an empty one. */
export function createOutputCollector(options: CollectOptions): OutputCollector {
  const { maxOutputBytes, onOutput, logger, clock } = options;
  const stdout = createOutputBuffer(maxOutputBytes);
  const stderr = createOutputBuffer(maxOutputBytes);
  let lastChunkAtMs = clock.monotonicMs();

  function hear(chunk: Uint8Array): void {
    lastChunkAtMs = clock.monotonicMs();
    try {
      onOutput?.(chunk);
    } catch (error) {
      // A listener's fault must not end the command that it listens to.
      logger.warn('sandbox.listener-failed', { message: errorMessage(error) });
    }
  }

  return {
    takeOutput(chunk) {
      stdout.append(chunk);
      hear(chunk);
    },
    takeStderr(chunk) {
      stderr.append(chunk);
      hear(chunk);
    },
    skipOutput: (byteCount) => stdout.skip(byteCount),
    skipStderr: (byteCount) => stderr.skip(byteCount),
    read() {
      const outputBytes = stdout.bytes();
      return {
        outputBytes,
        output: decodeText(outputBytes),
        stderr: decodeText(stderr.bytes()),
        truncatedBytes: stdout.truncatedBytes + stderr.truncatedBytes,
      };
    },
    get lastChunkAtMs() {
      return lastChunkAtMs;
    },
  };
}

/** UTF-8 with U+FFFD for what is none; a byte order mark is kept, since it was written. */
function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

const quietMs = 300;
const maxDrainMs = 2_000;

/** Output of a process that has ended, but whose streams something in the background may still hold. */
export interface Draining {
  /** Settles when every stream has ended. */
  readonly ended: Promise<unknown>;
  readonly lastChunkAtMs: () => number;
}

/**
 * Waits until the output of a process that has ended is complete: at once where its streams end, else, since something
 * in the background holds them, until nothing came for 300 ms, at most 2 s (spec/terminal-backends.md 1.5).
 */
export async function drainOutput(draining: Draining, clock: Clock, signal?: AbortSignal): Promise<void> {
  const waiting = new AbortController();
  // What was aborted before has killed the tree, and what that wrote until then is still to be read.
  const stopped = signal === undefined || signal.aborted ? waiting.signal : AbortSignal.any([signal, waiting.signal]);
  async function waitForQuiet(): Promise<void> {
    const startedAtMs = clock.monotonicMs();
    while (!stopped.aborted) {
      const nowMs = clock.monotonicMs();
      const leftMs = Math.min(
        Math.max(startedAtMs, draining.lastChunkAtMs()) + quietMs - nowMs,
        startedAtMs + maxDrainMs - nowMs,
      );
      if (leftMs > 0) {
        await clock.sleep(leftMs, { signal: stopped }).catch(() => undefined);
        continue;
      }
      // Where this program was held up, its timers run before it reads what has come meanwhile.
      const heardAtMs = draining.lastChunkAtMs();
      await nextTurn();
      if (draining.lastChunkAtMs() === heardAtMs || nowMs - startedAtMs >= maxDrainMs) return;
    }
  }
  try {
    await Promise.race([draining.ended, waitForQuiet()]);
  } finally {
    waiting.abort();
  }
}
