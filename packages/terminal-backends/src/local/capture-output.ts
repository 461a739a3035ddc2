import type { Socket } from 'node:net';
import { type Clock, errorMessage, type Logger } from '@talaria/core';
import { createOutputBuffer } from '../output-buffer.ts';
import type { StartedChild } from './child-process.ts';

/** What to keep of a child's output. */
export interface CaptureOptions {
  readonly maxOutputBytes: number;
  readonly onOutput: ((chunk: Uint8Array) => void) | undefined;
  readonly logger: Logger;
}

/** The output of a child while it is being read. */
export interface OutputCapture {
  /** What was kept so far. */
  read(): CapturedOutput;
  /** Whether every stream has ended. */
  readonly ended: Promise<unknown>;
  /** When the last byte came, in milliseconds of the monotonic clock. */
  readonly lastChunkAtMs: () => number;
}

/** What was kept of a child's output. */
export interface CapturedOutput {
  readonly output: string;
  readonly outputBytes: Uint8Array;
  readonly stderr: string;
  readonly truncatedBytes: number;
}

/** Starts reading a child's streams. What is beyond the limit is read all the same, so that the child never blocks. */
export function captureOutput(child: StartedChild, clock: Clock, options: CaptureOptions): OutputCapture {
  const { maxOutputBytes, onOutput, logger } = options;
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
  function collect(stream: Socket, buffer: { append(chunk: Uint8Array): void }): Promise<void> {
    stream.on('data', (chunk) => {
      buffer.append(chunk);
      hear(chunk);
    });
    return new Promise((resolve) => {
      stream.once('end', resolve).once('close', resolve);
    });
  }

  const ended = [collect(child.stdout, stdout)];
  if (child.stderr !== null) ended.push(collect(child.stderr, stderr));
  return {
    ended: Promise.all(ended),
    lastChunkAtMs: () => lastChunkAtMs,
    read() {
      const outputBytes = stdout.bytes();
      return {
        outputBytes,
        output: decodeText(outputBytes),
        stderr: child.stderr === null ? '' : decodeText(stderr.bytes()),
        truncatedBytes: stdout.truncatedBytes + stderr.truncatedBytes,
      };
    },
  };
}

/** UTF-8 with U+FFFD for what is none; a byte order mark is kept, since it was written. */
function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

const quietMs = 300;
const maxDrainMs = 2_000;

/**
 * Waits until the output of a child that has ended is complete: at once where its streams end, else, since something
 * in the background holds them, until nothing came for 300 ms, at most 2 s (spec/terminal-backends.md 1.5).
 */
export async function drainOutput(
  capture: Pick<OutputCapture, 'ended' | 'lastChunkAtMs'>,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  const waiting = new AbortController();
  // What was aborted before has killed the tree, and what that wrote until then is still to be read.
  const stopped = signal === undefined || signal.aborted ? waiting.signal : AbortSignal.any([signal, waiting.signal]);
  async function waitForQuiet(): Promise<void> {
    const startedAtMs = clock.monotonicMs();
    while (!stopped.aborted) {
      const nowMs = clock.monotonicMs();
      const leftMs = Math.min(
        Math.max(startedAtMs, capture.lastChunkAtMs()) + quietMs - nowMs,
        startedAtMs + maxDrainMs - nowMs,
      );
      if (leftMs <= 0) return;
      await clock.sleep(leftMs, { signal: stopped }).catch(() => undefined);
    }
  }
  try {
    await Promise.race([capture.ended, waitForQuiet()]);
  } finally {
    waiting.abort();
  }
}
