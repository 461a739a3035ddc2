import type { Readable } from 'node:stream';
import { raceAbort } from '@talaria/core';
import { remoteError } from '../remote-error.ts';
import type { StartedScript } from '../script-runner.ts';
import type { FileCall } from './file-call.ts';
import { scriptFailure } from './script-failure.ts';

/** A script whose streams are used while it runs. */
export interface RunningScript {
  readonly started: StartedScript;
  /** What it wrote to standard error so far, as far as that is kept. */
  readonly complaint: () => string;
}

const maxComplaintBytes = 4_194_304;

/**
 * Starts a script about the path of a call and works with its streams. Where the work fails or is aborted, the script is
 * ended inside the sandbox before this rejects.
 */
export async function withScript<Result>(
  call: FileCall,
  [script, args]: readonly [string, readonly string[]],
  hasStdin: boolean,
  work: (running: RunningScript) => Promise<Result>,
): Promise<Result> {
  const { parts, words, signal } = call;
  const started = await parts.scripts.start(script, [...words, ...args], { hasStdin, signal });
  // Whoever reads a stream hears of its errors; a stream that nobody reads any more must not end this process.
  for (const stream of [started.stdin, started.stdout, started.stderr]) stream?.on('error', () => undefined);
  const working = work({ started, complaint: keepText(started.stderr) });
  try {
    const result = await raceAbort(working, signal);
    started.close();
    return result;
  } catch (error) {
    await started.end();
    // With its streams gone the work comes to its end, and with it what it holds open on the host.
    for (const stream of [started.stdin, started.stdout, started.stderr]) stream?.destroy();
    await working.catch(() => undefined);
    throw error;
  }
}

/** Keeps what a stream says, up to a limit, and reads on. */
function keepText(stream: Readable | null): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (bytes < maxComplaintBytes) chunks.push(chunk);
    bytes += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('latin1');
}

/**
 * Waits for the exit code, and until its complaint is complete.
 * @throws SandboxError `sandbox.lost` where nobody knows it
 */
export async function exitCodeOf({ started }: RunningScript, call: FileCall): Promise<number> {
  const exitCode = await raceAbort(started.exited, call.signal);
  if (exitCode === null) throw lostError(call);
  const { stderr } = started;
  if (stderr !== null && !stderr.readableEnded && !stderr.closed) {
    await new Promise((resolve) => {
      stderr.once('end', resolve).once('close', resolve);
    });
  }
  return exitCode;
}

/** Waits for the end; an exit code other than 0 is an error. `text` is what else it said, where both outputs are one. */
export async function expectSuccess(running: RunningScript, call: FileCall, text = ''): Promise<void> {
  const exitCode = await exitCodeOf(running, call);
  if (exitCode === 0) return;
  const said = Buffer.from(running.complaint(), 'latin1').toString();
  throw scriptFailure(exitCode, said || text, call);
}

/** The error of a transfer whose end nobody knows. */
export function lostError({ backend, action, path }: FileCall): unknown {
  return remoteError(backend, `Cannot ${action} ${JSON.stringify(path)}: the connection to the sandbox was lost`, {
    code: 'sandbox.lost',
    phase: 'transfer',
    started: true,
    hint: 'Find out what ended the sandbox, and start again with a new one.',
  });
}

/**
 * Writes all that comes, no faster than it is taken, and ends the input. A script that does not read on is no error here:
 * its exit code says why.
 */
export async function sendAll({ stdin, exited }: StartedScript, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  if (stdin === null) return;
  let isGone = stdin.destroyed;
  let wake: (() => void) | undefined;
  function leave(): void {
    isGone = true;
    wake?.();
  }
  function drain(): void {
    wake?.();
  }
  stdin.once('close', leave).once('error', leave).on('drain', drain);
  exited.then(leave);
  try {
    for await (const chunk of chunks) {
      if (isGone) return;
      if (stdin.write(chunk)) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (isGone || !stdin.writableNeedDrain) resolve();
      });
    }
    if (!isGone) stdin.end();
  } finally {
    stdin.off('close', leave).off('error', leave).off('drain', drain);
  }
}

/** The chunks of a stream. A failed stream has ended: the exit code says whether the connection was lost. */
export async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield chunk;
  } catch (error) {
    if (!stream.destroyed) throw error;
  }
}

/** Reads a stream to its end, up to a limit; what is beyond is dropped. A failed stream has ended. */
export function readAll(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const finish = () => resolve(Buffer.concat(chunks));
    stream
      .on('data', (chunk: Buffer) => {
        if (bytes < maxBytes) chunks.push(chunk);
        bytes += chunk.length;
      })
      .once('end', finish)
      .once('close', finish)
      .once('error', finish);
  });
}
