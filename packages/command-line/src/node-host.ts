import { Console } from 'node:console';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { addAbortSignal } from 'node:stream';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { errorMessage, systemClock, systemErrorCode } from '@talaria/core';
import { describeProgram } from './describe-program.ts';
import { exitCodes } from './exit-code.ts';
import { guardEnd } from './guard-end.ts';
import type { Host, OutputStream, StopSignal } from './host.ts';
import { describeOldNode } from './node-version.ts';
import { resolvePackage } from './resolve-package.ts';

const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** How long something may keep the process alive after the program is done, before it is ended and told. */
const lingerMs = 5_000;

/** Creates the host of this process: its arguments, variables, streams and signals. */
export function createNodeHost(): Host {
  return {
    programName: describeProgram({ file: process.argv[1] ?? 'node', cwd: process.cwd(), variables: process.env }),
    argv: process.argv.slice(2),
    variables: process.env,
    cwd: process.cwd(),
    homeFolder: homedir(),
    nodeVersion: process.versions.node,
    stdin: {
      // Not `process.stdin.isTTY`: to touch that stream is to open it, which only a program that reads may do.
      isTerminal: isatty(0),
      read: ({ signal } = {}) => (signal === undefined ? process.stdin : addAbortSignal(signal, process.stdin)),
    },
    stdout: createStream(process.stdout),
    stderr: createStream(process.stderr),
    clock: systemClock,
    onStopSignal(handler) {
      for (const signal of stopSignals) process.on(signal, handler);
      return () => {
        for (const signal of stopSignals) process.off(signal, handler);
      };
    },
    onUncaughtError(handler) {
      // Rejections that nobody handled arrive here as well.
      process.on('uncaughtException', handler);
      return () => process.off('uncaughtException', handler);
    },
    importModule: (specifier) =>
      import(specifier.startsWith('file:') ? specifier : resolvePackage(specifier, process.cwd())),
    exitNow: (exitCode) => process.exit(exitCode),
  };
}

/**
 * Runs a program on this process's host and sets the exit code. The process then ends by itself; if something that the
 * program loaded keeps it alive, it is ended after five seconds.
 */
export async function runMain(program: (host: Host) => Promise<number>): Promise<void> {
  const fault = describeOldNode(process.versions.node);
  if (fault !== null) {
    process.stderr.write(fault);
    process.exitCode = exitCodes.usage;
    return;
  }
  const host = createNodeHost();
  if (host.argv.includes('--json')) keepStandardOutput();
  const guard = guardEnd(host);
  const exitCode = await program({ ...host, exitNow: guard.exitNow });
  // A slow reader is waited for, however long the output.
  await host.stdout.flush();
  guard.release();
  // An output that could not be written has said so in the code already.
  process.exitCode ||= exitCode;
  const timer = setTimeout(() => {
    process.stderr.write('warning: something that was loaded keeps the process alive; it is ended now\n');
    process.exit();
  }, lingerMs);
  timer.unref();
}

/** Standard output is for one object: what an environment's own code logs goes beside it. */
function keepStandardOutput(): void {
  globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr });
}

/**
 * Whether a module is the file that Node was started with: `isMainModule(import.meta.url)`. Stands in for
 * `import.meta.main`, which Node 22 lacks.
 */
export function isMainModule(moduleUrl: string): boolean {
  const [, started] = process.argv;
  if (started === undefined || !moduleUrl.startsWith('file:')) return false;
  try {
    return realpathSync(started) === realpathSync(fileURLToPath(moduleUrl));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Errors of a stream whose reader has gone away: `talaria … | head`, or a terminal that was closed. */
const goneCodes: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

function createStream(stream: NodeJS.WriteStream): OutputStream {
  let isOpen = true;
  stream.on('error', (error) => {
    isOpen = false;
    if (goneCodes.has(systemErrorCode(error)) || stream === process.stderr) return;
    process.exitCode = 1;
    process.stderr.write(`error: cannot write to standard output: ${errorMessage(error)}\n`);
  });
  return {
    write(text) {
      if (isOpen) stream.write(text);
    },
    get isTerminal() {
      return stream.isTTY === true;
    },
    get columns() {
      // A terminal that does not know its size says 0.
      return stream.columns || 80;
    },
    flush() {
      if (!isOpen) return Promise.resolve(false);
      return new Promise((resolve) => {
        stream.write('', (error) => resolve(isOpen && (error ?? null) === null));
      });
    },
  };
}
