import type { Socket } from 'node:net';
import type { SandboxRoot } from '../sandbox-root/sandbox-root.ts';
import type { ExecOutput, ExecProgram } from './exec-program.ts';
import type { OutputSpool } from './output-spool.ts';
import { type PipedProcessOptions, startPipedProcess } from './piped-process.ts';

/** Output that nobody has taken stops its process beyond this: 4 GiB. It lies on disk. */
const maxUnreadBytes = 4 * 1024 ** 3;

/** How long a stream must be quiet after its process ended, while something else still holds it. */
const quietMs = 50;

/** Starts a process as the program of an exec. */
export async function startProcessProgram(
  root: SandboxRoot,
  words: readonly string[],
  options: PipedProcessOptions,
  output: ExecOutput,
): Promise<ExecProgram> {
  const process = await startPipedProcess(root, words, options);
  const { stdin, stdout, stderr, exited } = process;
  collect(stdout, output.stdout, exited);
  collect(stderr, output.stderr, exited);
  return {
    write: (data) => writeAll(stdin, data),
    endInput: () => stdin.end(),
    // A number above 128 may be an exit code just as well; the client makes the same of both.
    ended: exited.then((code) => (code > 128 && code <= 192 ? { signal: code - 128 } : { code })),
    kill: () => process.kill(),
    release() {
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
    },
    resume() {
      for (const stream of [stdout, stderr]) stream.resume();
    },
  };
}

function writeAll(stdin: Socket, data: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stdin.write(data, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * The stream ends with the process, once nothing comes any more: a child that was left behind may hold it for ever. What
 * that child writes later is read and dropped, so that it neither blocks nor dies of it.
 */
function collect(stream: Socket, spool: OutputSpool | null, exited: Promise<unknown>): void {
  let isQuiet = false;
  let isOver = spool === null;
  const end = (): void => {
    isOver = true;
    spool?.end();
  };
  stream.on('data', (chunk: Buffer) => {
    if (isOver || spool === null) return;
    isQuiet = false;
    spool.append(chunk);
    if (spool.unreadLength > maxUnreadBytes) stream.pause();
  });
  stream.once('end', end).once('close', end);
  void exited.then(() => {
    const timer = setInterval(() => {
      if (isQuiet && !stream.isPaused()) end();
      if (isOver) clearInterval(timer);
      isQuiet = true;
    }, quietMs);
  });
}
