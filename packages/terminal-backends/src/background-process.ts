import type { Readable, Writable } from 'node:stream';
import { type Clock, raceAbort, SandboxError, systemErrorCode } from '@talaria/core';
import { checkLimits } from './check-limits.ts';
import { type ByteRing, createByteRing } from './output-buffer.ts';
import { type Draining, drainOutput } from './output-collector.ts';
import { hearOutput, type OutputGap } from './output-gap.ts';
import type { BackendKind, ProcessExit, SandboxProcess } from './sandbox.ts';

/** Most bytes of output that are kept of one process: the last. */
export const keptProcessBytes = 200_000;
const defaultReadBytes = 65_536;
const defaultGraceMs = 5_000;

/** A process that was started, with its streams. */
export interface BackgroundSource {
  /** Number of the session leader inside the sandbox; `null` where the backend does not know it. */
  readonly pid: number | null;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  /** What is missing of that. @default nothing */
  readonly gaps?: readonly OutputGap[] | undefined;
  /** `null` where it comes with the output. */
  readonly stderr: Readable | null;
  /** Exit code, 128 + n for signal n; resolves when the process ended, whatever still holds its streams. */
  readonly exited: Promise<number>;
  /** Gives the streams back; called once the output is complete. */
  release(): Promise<void>;
  /** Ends it with all that it started, and waits until it is gone. */
  end(graceMs: number): Promise<void>;
}

/** What is told about a process when it has been started. */
export interface BackgroundProcessFacts {
  readonly kind: BackendKind;
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
}

/** Wraps a started process as a background process, and begins to read its output. */
export function watchBackgroundProcess(
  source: BackgroundSource,
  facts: BackgroundProcessFacts,
  clock: Clock,
): SandboxProcess {
  const ring = createByteRing(keptProcessBytes);
  const capture = collectOutput(source, ring, clock);
  let exit: ProcessExit | null = null;
  // The end is told only when the output is complete, so that whoever sees it has seen all.
  const ended = source.exited.then(async (exitCode) => {
    const endedAt = clock.now();
    await drainOutput(capture, clock);
    await source.release();
    exit = { exitCode, endedAt };
    return exit;
  });

  return {
    id: facts.id,
    pid: source.pid,
    command: facts.command,
    cwd: facts.cwd,
    startedAt: clock.now(),
    get exit() {
      return exit;
    },
    async readOutput(offset, options = {}) {
      options.signal?.throwIfAborted();
      checkLimits({ offset, maxBytes: options.maxBytes });
      const { totalBytes, startOffset } = ring;
      const from = Math.min(Math.max(offset, startOffset), totalBytes);
      const bytes = ring.read(from, options.maxBytes ?? defaultReadBytes);
      return { bytes, offset: from, totalBytes, droppedBytes: Math.max(0, startOffset - offset) };
    },
    wait: (options = {}) => waitWithin(ended, options, clock),
    async write(bytes, options = {}) {
      options.signal?.throwIfAborted();
      await raceAbort(writeAll(source.stdin, bytes, facts), options.signal);
    },
    async closeStdin() {
      source.stdin?.end();
    },
    async kill(options = {}) {
      options.signal?.throwIfAborted();
      if (exit === null) await source.end(options.graceMs ?? defaultGraceMs);
      return await raceAbort(ended, options.signal);
    },
  };
}

function collectOutput(source: BackgroundSource, ring: ByteRing, clock: Clock): Draining {
  let lastChunkAtMs = clock.monotonicMs();
  function collect(stream: Readable, gaps: readonly OutputGap[] = []): Promise<void> {
    hearOutput(stream, gaps, {
      take(chunk) {
        lastChunkAtMs = clock.monotonicMs();
        ring.append(chunk);
      },
      skip: (byteCount) => ring.skip(byteCount),
    });
    return new Promise((resolve) => {
      // A stream that fails has ended; why is told by the exit.
      stream
        .once('end', resolve)
        .once('close', resolve)
        .once('error', () => resolve());
    });
  }
  const outputs = [collect(source.stdout, source.gaps)];
  if (source.stderr !== null) outputs.push(collect(source.stderr));
  return { ended: Promise.all(outputs), lastChunkAtMs: () => lastChunkAtMs };
}

async function waitWithin(
  ended: Promise<ProcessExit>,
  { timeoutMs, signal }: NonNullable<Parameters<SandboxProcess['wait']>[0]>,
  clock: Clock,
): Promise<ProcessExit | null> {
  signal?.throwIfAborted();
  if (timeoutMs === undefined) return await raceAbort(ended, signal);
  const waiting = new AbortController();
  const limit = clock.sleep(timeoutMs, { signal: waiting.signal }).then(() => null);
  limit.catch(() => undefined);
  try {
    return await raceAbort(Promise.race([ended, limit]), signal);
  } finally {
    waiting.abort();
  }
}

function writeAll(
  stdin: Writable | null,
  bytes: string | Uint8Array,
  { kind, id }: BackgroundProcessFacts,
): Promise<void> {
  return new Promise((resolve, reject) => {
    function refuse(cause?: unknown): void {
      reject(
        new SandboxError(`The process ${id} takes no more input (${systemErrorCode(cause) ?? 'closed'})`, {
          backend: kind,
          code: 'sandbox.stdin-closed',
          phase: 'exec',
          started: true,
          hint: 'Start the process again to give it input.',
          cause,
        }),
      );
    }
    if (stdin === null || !stdin.writable) refuse();
    else stdin.write(bytes, (error) => (error ? refuse(error) : resolve()));
  });
}
