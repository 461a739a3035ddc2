import type { Socket } from 'node:net';
import { type Clock, raceAbort, systemErrorCode } from '@talaria/core';
import { checkLimits } from '../check-limits.ts';
import { type ByteRing, createByteRing } from '../output-buffer.ts';
import type { ProcessExit, SandboxProcess } from '../sandbox.ts';
import { drainOutput, type OutputCapture } from './capture-output.ts';
import type { StartedChild } from './child-process.ts';
import { localError } from './local-error.ts';
import { endChild, type ProcessTools } from './run-child.ts';

/** Most bytes of output that are kept of one process: the last. */
const keptBytes = 200_000;
const defaultReadBytes = 65_536;
const defaultGraceMs = 5_000;

/** What is told about a process when it has been started. */
export interface BackgroundProcessFacts {
  readonly id: string;
  readonly execId: string;
  readonly command: string;
  readonly cwd: string;
  /** What it needs as long as it runs. */
  readonly script: AsyncDisposable;
}

/** Wraps a started child as a background process, and begins to read its output. */
export function watchBackgroundProcess(
  child: StartedChild,
  facts: BackgroundProcessFacts,
  tools: ProcessTools,
): SandboxProcess {
  const { clock } = tools;
  const ring = createByteRing(keptBytes);
  const capture = collectOutput(child, ring, clock);
  let exit: ProcessExit | null = null;
  // The end is told only when the output is complete, so that whoever sees it has seen all.
  const ended = child.exited.then(async (exitCode) => {
    const endedAt = clock.now();
    await drainOutput(capture, clock);
    child.release();
    await facts.script[Symbol.asyncDispose]();
    exit = { exitCode, endedAt };
    return exit;
  });

  return {
    id: facts.id,
    pid: child.pid,
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
      await raceAbort(writeAll(child.stdin, bytes, facts.id), options.signal);
    },
    async closeStdin() {
      child.stdin?.end();
    },
    async kill(options = {}) {
      options.signal?.throwIfAborted();
      if (exit === null) await endChild(child, { execId: facts.execId }, options.graceMs ?? defaultGraceMs, tools);
      return await raceAbort(ended, options.signal);
    },
  };
}

function collectOutput(
  child: StartedChild,
  ring: ByteRing,
  clock: Clock,
): Pick<OutputCapture, 'ended' | 'lastChunkAtMs'> {
  let lastChunkAtMs = clock.monotonicMs();
  child.stdout.on('data', (chunk) => {
    lastChunkAtMs = clock.monotonicMs();
    ring.append(chunk);
  });
  const ended = new Promise((resolve) => {
    child.stdout.once('end', resolve).once('close', resolve);
  });
  return { ended, lastChunkAtMs: () => lastChunkAtMs };
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

function writeAll(stdin: Socket | null, bytes: string | Uint8Array, id: string): Promise<void> {
  return new Promise((resolve, reject) => {
    function refuse(cause?: unknown): void {
      reject(
        localError(`The process ${id} takes no more input (${systemErrorCode(cause) ?? 'closed'})`, {
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
