import type { Readable } from 'node:stream';
import { type Clock, openDeadline, raceAbort, SandboxError } from '@talaria/core';
import type { SandboxTransport } from '../remote/transport.ts';

/** What a script did. */
export interface RemoteScriptResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of {@link runRemoteScript}. */
export interface RemoteScriptOptions {
  readonly clock: Clock;
  /** From its start on. */
  readonly timeoutMs: number;
  /** Stops the wait for the start, and for the end unless `isWhole`. The script itself goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Once it was started, wait for its end even where the signal is aborted. @default false */
  readonly isWhole?: boolean | undefined;
  /** Hears that it may have been started. */
  readonly onStart?: (() => void) | undefined;
}

/** Enough for what is told of 10,000 sandboxes. */
const maxTextLength = 8_388_608;

/**
 * Runs a small script of Talaria's own by `sh` on the server, before or beside the engine of a sandbox.
 * @throws SandboxError `sandbox.failed` where the connection was lost; what the transport throws
 */
export async function runRemoteScript(
  transport: SandboxTransport,
  [script, ...args]: readonly [string, ...string[]],
  { clock, timeoutMs, signal, isWhole = false, onStart }: RemoteScriptOptions,
): Promise<RemoteScriptResult> {
  const words = ['sh', '-c', script, 'talaria', ...args];
  const started = await transport.start({ words, isUrgent: true, signal }).catch((error: unknown) => {
    if (isStarted(error)) onStart?.();
    throw error;
  });
  onStart?.();
  using deadline = openDeadline(clock, timeoutMs, isWhole ? undefined : signal);
  try {
    const reading = Promise.all([started.exited, readText(started.stdout), readText(started.stderr)]);
    const [exitCode, stdout, stderr] = await raceAbort(reading, deadline.signal);
    if (exitCode !== null) return { exitCode, stdout, stderr };
    throw scriptError('The SSH connection was lost while a script ran');
  } catch (error) {
    throw deadline.isExpired() ? scriptError(`A script on the server took more than ${timeoutMs} ms`) : error;
  } finally {
    started.close();
  }
}

function isStarted(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'started' in error && error.started === true;
}

function readText(stream: Readable | null): Promise<string> {
  if (stream === null) return Promise.resolve('');
  let text = '';
  return new Promise((resolve) => {
    const finish = () => resolve(text);
    stream
      .on('data', (chunk: Buffer) => {
        if (text.length < maxTextLength) text += chunk.toString('utf8');
      })
      .once('end', finish)
      .once('close', finish)
      .once('error', finish);
  });
}

function scriptError(message: string): SandboxError {
  return new SandboxError(message, {
    backend: 'ssh',
    code: 'sandbox.failed',
    phase: 'exec',
    started: true,
    hint: 'See whether the machine is up, and whether its SSH server and its disk answer.',
  });
}
