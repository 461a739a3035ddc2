import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { Readable, Writable } from 'node:stream';
import { keepUnread } from './keep-unread.ts';
import type { RootProcess, RootProgram, StreamDescriptors } from './sandbox-root.ts';

/** How one program is started. */
export interface ProcessStart {
  readonly program: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Make the program the leader of a session and a group. */
  readonly isLeader: boolean;
  /** Signals the group with this number. */
  readonly signalGroup: (pid: number, name: NodeJS.Signals) => Promise<void>;
}

/** Starts a program by a launcher and waits until that has said its number. */
export async function startProcess(start: ProcessStart): Promise<RootProcess> {
  const child = launch(start, ['pipe', 'pipe', 'pipe']);
  const [stdin, out, err] = child.stdio;
  if (!(stdin instanceof Writable && isReadable(out) && isReadable(err))) {
    throw new Error(`${start.program} was started without pipes`);
  }
  // A program may end without reading; what it did not read is lost, as with any pipe.
  stdin.on('error', () => {});
  // Until its number is known, and longer where the caller waits, a quick program may have ended.
  const [stdout, stderr] = [keepUnread(out), keepUnread(err)];
  const program = await started(child, start, () => {
    stdin.destroy();
    return readAll(stderr);
  });
  return { ...program, stdin, stdout, stderr };
}

/** As {@link startProcess}, with descriptors of the caller as its streams. */
export function startProgram(start: ProcessStart, descriptors: StreamDescriptors): Promise<RootProgram> {
  return started(launch(start, [...descriptors]), start, () => Promise.resolve(''));
}

function launch(start: ProcessStart, streams: readonly ('pipe' | number)[]): ChildProcess {
  return spawn(start.program, start.words, {
    env: start.env,
    cwd: '/',
    detached: start.isLeader,
    stdio: [...streams, 'pipe'],
  });
}

async function started(
  child: ChildProcess,
  start: ProcessStart,
  readReason: () => Promise<string>,
): Promise<RootProgram> {
  const exited = exitCodeOf(child);
  const report = child.stdio[3];
  if (!isReadable(report)) throw new Error(`${start.program} was started without a pipe for its number`);
  const line = readLine(report);
  // A quick program has ended before its number is read; what cannot be started at all fails here.
  await Promise.race([line, exited]);
  const pid = Number(await line);
  if (pid > 0) return { pid, exited, signal: (name) => start.signalGroup(pid, name) };
  const said = readReason();
  const exitCode = await exited;
  const reason = exitCode === 126 ? 'the working folder does not exist' : await said;
  throw Object.assign(new Error(`Nothing was started: ${reason || 'the sandbox is gone'}`), {
    code: exitCode === 126 ? 'ENOENT' : 'ESRCH',
  });
}

/** Exit code of a child, 128 + n after signal n. Rejects where it could not be started. */
export function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

/** The first line of a stream, which is closed then; `''` where it ends before. */
export async function readLine(stream: Readable): Promise<string> {
  let text = '';
  for await (const part of stream) {
    text += String(part);
    const end = text.indexOf('\n');
    if (end !== -1) return text.slice(0, end);
  }
  return '';
}

/** Everything of a stream, as text without spaces around it. */
export async function readAll(stream: Readable): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString('utf8').trim();
}

function isReadable(stream: unknown): stream is Readable {
  return stream instanceof Readable;
}
