import { type Clock, type Logger, openDeadline } from '@talaria/core';
import { type CapturedOutput, drainOutput } from '../output-collector.ts';
import { captureOutput } from './capture-output.ts';
import { type ChildRequest, type StartedChild, startChild } from './child-process.ts';
import { endProcesses, type ProcessMark } from './end-processes.ts';
import type { FifoPool } from './fifo-pool.ts';
import type { ProcessTable } from './process-table.ts';

/** What a sandbox runs its processes with. */
export interface ProcessTools {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly table: ProcessTable;
  readonly pool: FifoPool;
  /** Between SIGTERM and SIGKILL. */
  readonly killGraceMs: number;
}

/** A child to be run to its end. */
export interface RunChildRequest extends ChildRequest {
  readonly execId: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly onOutput: ((chunk: Uint8Array) => void) | undefined;
  readonly signal: AbortSignal;
}

/** How a child ended, and what it wrote. */
export interface ChildOutcome extends CapturedOutput {
  readonly ending: 'exited' | 'timed-out' | 'interrupted';
  readonly exitCode: number;
  readonly durationMs: number;
}

/** How long a killed child may take to be gone. */
const maxEndMs = 5_000;

/** Runs a child to its end, or ends its whole process tree at the time limit or the abort. */
export async function runChild(request: RunChildRequest, tools: ProcessTools): Promise<ChildOutcome> {
  const { clock } = tools;
  const child = await startChild(request, tools.pool);
  const startedAtMs = clock.monotonicMs();
  try {
    const capture = captureOutput(child, { ...request, clock, logger: tools.logger });
    using deadline = openDeadline(clock, request.timeoutMs, request.signal);
    const exitCode = await exitOrEnd(child, { execId: request.execId }, deadline.signal, tools);
    await drainOutput(capture, clock, request.signal);
    return {
      ...capture.read(),
      ending: typeof exitCode === 'number' ? 'exited' : deadline.isExpired() ? 'timed-out' : 'interrupted',
      exitCode: exitCode ?? 0,
      durationMs: clock.monotonicMs() - startedAtMs,
    };
  } finally {
    child.release();
  }
}

/** The exit code, or `null` where the signal came first; then the tree of the command is dead. */
async function exitOrEnd(
  child: StartedChild,
  mark: ProcessMark,
  signal: AbortSignal,
  tools: ProcessTools,
): Promise<number | null> {
  const aborted = Promise.withResolvers<null>();
  function stop(): void {
    aborted.resolve(null);
  }
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    const exitCode = await Promise.race([child.exited, aborted.promise]);
    if (exitCode !== null) return exitCode;
    await endChild(child, mark, tools.killGraceMs, tools);
    return null;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Ends a child and everything that bears its mark, and waits, within bounds, until the child is gone. */
export async function endChild(
  child: StartedChild,
  mark: ProcessMark,
  graceMs: number,
  tools: ProcessTools,
): Promise<void> {
  await endProcesses({ ...mark, leaderPid: child.leaderPid() }, { ...tools, graceMs });
  const waiting = new AbortController();
  await Promise.race([child.exited, tools.clock.sleep(maxEndMs, { signal: waiting.signal }).catch(() => undefined)]);
  waiting.abort();
}
