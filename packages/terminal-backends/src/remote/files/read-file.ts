import { Readable } from 'node:stream';
import { raceAbort } from '@talaria/core';
import type { FileContent, FileStat, ReadFileOptions } from '../../sandbox.ts';
import { remoteError } from '../remote-error.ts';
import type { StartedScript } from '../script-runner.ts';
import { type FileCall, runFileScript } from './file-call.ts';
import { readScript, streamScript } from './file-scripts.ts';
import { chunksOf, exitCodeOf, expectSuccess, type RunningScript, withScript } from './running-script.ts';
import { scriptFailure } from './script-failure.ts';
import { readStatLine } from './stat-line.ts';

const defaultReadBytes = 104_857_600;
/** Up to here a file is read by one call of a script; more comes as a stream. */
export const maxSmallBytes = 1_048_576;
const lineBreak = 10;
const maxLineBytes = 4_096;

/** Reads a part of a regular file. */
export async function readFileRange(call: FileCall, options: ReadFileOptions): Promise<FileContent> {
  const { offset = 0, maxBytes = defaultReadBytes } = options;
  // One byte more than is given tells whether there is more; the size does not, for a file under /proc has none.
  const wanted = Math.min(maxBytes, maxSmallBytes) + 1;
  const output = await runFileScript(call, readScript, [String(offset), String(wanted), String(maxSmallBytes)], {
    maxOutputBytes: wanted + maxLineBytes,
  });
  const { stat, kind, rest } = splitLine(output, call);
  const isWhole = kind === 'S' && (rest.length < wanted || maxBytes <= maxSmallBytes);
  const bytes = isWhole ? rest : await readStream(call, offset, maxBytes);
  return {
    bytes: bytes.subarray(0, maxBytes),
    sizeBytes: Math.max(stat.sizeBytes, bytes.length > 0 ? offset + bytes.length : 0),
    isTruncated: bytes.length > maxBytes,
  };
}

async function readStream(call: FileCall, offset: number, maxBytes: number): Promise<Buffer> {
  using _place = await call.parts.transfers.acquire(call.signal);
  const count = maxBytes === Number.POSITIVE_INFINITY ? '' : String(maxBytes + 1);
  return await withScript(call, [streamScript, [String(offset), count]], false, async (running) => {
    const { content } = await readLine(running, call);
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(chunk);
    await expectSuccess(running, call);
    return Buffer.concat(chunks);
  });
}

interface SplitOutput {
  readonly kind: string;
  readonly stat: FileStat;
  readonly rest: Buffer;
}

/** Takes the line about the file off what comes after it. */
function splitLine(output: Buffer, call: FileCall): SplitOutput {
  const end = output.indexOf(lineBreak);
  const line = output.toString('latin1', 0, Math.max(end, 0));
  const stat = readStatLine(line.slice(2));
  if (stat === null) throw unreadable(output, call);
  return { kind: line.slice(0, 1), stat, rest: output.subarray(end + 1) };
}

/** What a script that streams says first, and what comes after. */
export interface StreamedFile {
  readonly kind: string;
  readonly stat: FileStat;
  readonly content: AsyncIterable<Buffer>;
}

/** Waits for the line about the file. @throws SandboxError where the script failed before */
export async function readLine(running: RunningScript, call: FileCall): Promise<StreamedFile> {
  const chunks = chunksOf(running.started.stdout);
  let head: Buffer = Buffer.alloc(0);
  while (!head.includes(lineBreak) && head.length < maxLineBytes) {
    const next = await chunks.next();
    if (next.done) {
      await expectSuccess(running, call, head.toString());
      throw unreadable(head, call);
    }
    head = Buffer.concat([head, next.value]);
  }
  const { kind, stat, rest } = splitLine(head, call);
  async function* content(): AsyncIterable<Buffer> {
    if (rest.length > 0) yield rest;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  return { kind, stat, content: content() };
}

function unreadable(output: Buffer, { backend, action, path }: FileCall): unknown {
  const start = JSON.stringify(output.toString('latin1', 0, 200));
  return remoteError(backend, `Cannot ${action} ${JSON.stringify(path)}: its script answered ${start}`, {
    code: 'sandbox.failed',
    phase: 'transfer',
    started: true,
    hint: 'Check that stat in the sandbox is that of GNU coreutils or BusyBox.',
  });
}

/** Opens a file as a stream that ends with the signal's reason when it is aborted. It has a place until it is closed. */
export async function openReadStream(call: FileCall): Promise<Readable> {
  const place = await call.parts.transfers.acquire(call.signal);
  try {
    const stream = await openScriptStream(call);
    if (stream.closed) place[Symbol.dispose]();
    else stream.once('close', () => place[Symbol.dispose]());
    return stream;
  } catch (error) {
    place[Symbol.dispose]();
    throw error;
  }
}

async function openScriptStream(call: FileCall): Promise<Readable> {
  const { parts, words, signal } = call;
  const started = await parts.scripts.start(streamScript, [...words, '0', ''], { signal });
  for (const stream of [started.stdout, started.stderr]) stream?.on('error', () => undefined);
  const complaint: Buffer[] = [];
  started.stderr?.on('data', (chunk: Buffer) => complaint.push(chunk));
  const running: RunningScript = { started, complaint: () => Buffer.concat(complaint).toString('latin1') };
  try {
    const { content } = await raceAbort(readLine(running, call), signal);
    return createFileStream(running, content, call);
  } catch (error) {
    await started.end();
    throw error;
  }
}

function createFileStream(running: RunningScript, content: AsyncIterable<Buffer>, call: FileCall): Readable {
  const { signal } = call;
  const chunks = content[Symbol.asyncIterator]();
  let isDone = false;
  async function pushNext(): Promise<void> {
    const next = await chunks.next();
    if (!next.done) {
      stream.push(next.value);
      return;
    }
    const exitCode = await exitCodeOf(running, call);
    if (exitCode !== 0) throw scriptFailure(exitCode, running.complaint(), call);
    isDone = true;
    stream.push(null);
  }
  function stop(): void {
    stream.destroy(signal?.reason);
  }
  const stream = new Readable({
    read() {
      pushNext().catch((error) => stream.destroy(error));
    },
    destroy(error, done) {
      signal?.removeEventListener('abort', stop);
      endScript(running.started, isDone).then(() => done(error));
    },
  });
  // Whoever reads it hears of an error all the same; of a stream that nobody reads yet, it must not end this process.
  stream.on('error', () => undefined);
  if (signal?.aborted) stop();
  else signal?.addEventListener('abort', stop, { once: true });
  return stream;
}

async function endScript(started: StartedScript, isDone: boolean): Promise<void> {
  if (isDone) started.close();
  else await started.end();
}
