import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdir, unlink } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SandboxRoot } from '../sandbox-root/sandbox-root.ts';

/** A program in a sandbox whose three streams are pipes, which it can also open by name (`tee /dev/stderr`). */
export interface PipedProcess {
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** Exit code, 128 + n after signal n; resolves when it ended, whatever still holds its streams. */
  readonly exited: Promise<number>;
  /** Kills its group. */
  kill(): Promise<void>;
}

/** How to start one. */
export interface PipedProcessOptions {
  /** Absolute folder; it must exist. */
  readonly cwd: string;
  /** All its variables. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Where the pipes have their names, as long as they need one. */
const pipeFolder = '/run/modal';

/** Node's own streams of children are sockets, which cannot be opened by name, so the program is moved to named pipes. */
const moveScript = 'exec 9>&1 <"$1" >"$2" 2>"$3" && echo moved >&9 && exec 9>&- && shift 3 && exec "$@"';

/** Starts a program. Rejects where the folder is none or the sandbox is gone; a missing program exits with 127. */
export async function startPipedProcess(
  root: SandboxRoot,
  words: readonly string[],
  options: PipedProcessOptions,
): Promise<PipedProcess> {
  const names = ['in', 'out', 'err'].map((name) => `${randomBytes(8).toString('hex')}.${name}`);
  const [stdinPath = '', stdoutPath = '', stderrPath = ''] = names.map((name) => join(root.folder, pipeFolder, name));
  const paths = [stdinPath, stdoutPath, stderrPath];
  await mkdir(join(root.folder, pipeFolder), { recursive: true });
  await promisify(execFile)('mkfifo', ['-m', '600', ...paths]);
  // Our ends must not block and those of the program must, and a pipe without a writer would end before it began.
  const held = paths.map((path) => openSync(path, constants.O_RDWR | constants.O_NONBLOCK));
  const stdin = new Socket({
    fd: openSync(stdinPath, constants.O_WRONLY | constants.O_NONBLOCK),
    readable: false,
    writable: true,
  });
  const [stdout, stderr] = [openOutput(stdoutPath), openOutput(stderrPath)];
  try {
    const inside = names.map((name) => root.placeOf(`${pipeFolder}/${name}`));
    const started = await root.spawn(['/bin/sh', '-c', moveScript, 'sh', ...inside, ...words], {
      cwd: options.cwd,
      env: options.environment,
    });
    started.stdin.end();
    started.stderr.resume();
    await untilMoved(started.stdout);
    // Whoever holds the other end may go away at any time; a writer hears of it from the write itself.
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
    return { stdin, stdout, stderr, exited: started.exited, kill: () => started.signal('SIGKILL') };
  } catch (error) {
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    throw error;
  } finally {
    for (const fd of held) closeSync(fd);
    await Promise.all(paths.map((path) => unlink(path).catch(() => undefined)));
  }
}

function openOutput(path: string): Socket {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

/** The first stream says one word, or ends where the program died before. */
function untilMoved(stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('data', () => resolve());
    stream.once('end', () => resolve());
    stream.once('close', () => resolve());
  });
}
