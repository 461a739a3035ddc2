import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { makeFolder, SandboxError } from '@talaria/core';
import type { RunOptions, RunResult, Sandbox, SandboxCapabilities, SpawnOptions, TransferResult } from '../sandbox.ts';
import { createFakeProcess, type FakeProcess } from './fake-process.ts';
import { createMemoryFiles, type MemoryFiles } from './memory-files.ts';

/** What a command of a fake sandbox does. */
export interface FakeReply {
  /** @default 'exited' */
  readonly kind?: RunResult['kind'] | undefined;
  /** @default '' */
  readonly output?: string | Uint8Array | undefined;
  /** @default '' */
  readonly stderr?: string | undefined;
  /** @default 0 */
  readonly exitCode?: number | undefined;
  /** @default 0 */
  readonly truncatedBytes?: number | undefined;
  /** Working folder after it. @default unchanged */
  readonly cwd?: string | undefined;
}

/** One call that a fake sandbox received. */
export interface FakeCall {
  /** The script, or the words of a program. */
  readonly command: string | readonly string[];
  readonly options: RunOptions;
}

/** Replies in the order of the calls, or a function that gives one, or throws what the backend would. */
export type FakeRun = readonly FakeReply[] | ((call: FakeCall, sandbox: FakeSandbox) => FakeReply | Promise<FakeReply>);

/** Options of {@link createFakeSandbox}. */
export interface FakeSandboxOptions {
  /** Files by absolute path. @default none */
  readonly files?: Readonly<Record<string, string | Uint8Array>> | undefined;
  /** What commands do. @default every command succeeds without output */
  readonly run?: FakeRun | undefined;
  /** @default '/home/user' */
  readonly home?: string | undefined;
  /** Changes to what it claims to be able to do. */
  readonly capabilities?: Partial<SandboxCapabilities> | undefined;
}

/** A sandbox in memory, for tests of what uses sandboxes. Files are real enough; commands do as they are told. */
export interface FakeSandbox extends Sandbox {
  /** Every `run` and `runProgram`, in order. */
  readonly calls: readonly FakeCall[];
  /** Every process that was started. */
  readonly processes: readonly FakeProcess[];
  /** Text of a file, or `undefined`. */
  textOf(path: string): string | undefined;
  readonly isDisposed: boolean;
}

const capabilities: SandboxCapabilities = {
  isolation: 'container',
  keepsShellState: true,
  stdin: true,
  pty: false,
  network: 'fixed',
  snapshot: false,
  resourceLimits: false,
  images: false,
};

/** Creates a fake sandbox. */
export function createFakeSandbox(options: FakeSandboxOptions = {}): FakeSandbox {
  const { home = '/home/user', run: script } = options;
  const files = createMemoryFiles();
  const calls: FakeCall[] = [];
  const processes: FakeProcess[] = [];
  let cwd = home;
  let isDisposed = false;

  for (const folder of [home, '/tmp']) files.makeFolder(folder);
  for (const [path, content] of Object.entries(options.files ?? {})) files.write(path, toBytes(content), {});

  function absolute(path: string): string {
    const full = path === '~' || path.startsWith('~/') ? home + path.slice(1) : path;
    return posix.resolve(cwd, full);
  }
  function enter(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (isDisposed) throw closedError();
  }
  async function reply(command: FakeCall['command'], runOptions: RunOptions): Promise<RunResult> {
    enter(runOptions.signal);
    const call: FakeCall = { command, options: runOptions };
    calls.push(call);
    const given = typeof script === 'function' ? await script(call, sandbox) : nextReply(script, calls.length, command);
    cwd = given.cwd ?? cwd;
    return toResult(given, runOptions, cwd);
  }

  const sandbox: FakeSandbox = {
    id: 'fake',
    kind: 'local',
    capabilities: { ...capabilities, ...options.capabilities },
    home,
    temporaryFolder: '/tmp',
    calls,
    processes,
    get cwd() {
      return cwd;
    },
    get isDisposed() {
      return isDisposed;
    },
    textOf(path) {
      return files.stat(path)?.kind === 'file' ? Buffer.from(files.read(path, {}).bytes).toString() : undefined;
    },
    run: (command, runOptions = {}) => reply(command, runOptions),
    runProgram: (words, runOptions = {}) => reply(words, runOptions),
    async spawn(command, spawnOptions: SpawnOptions = {}) {
      enter(spawnOptions.signal);
      const started = createFakeProcess(processes.length + 1, command, absolute(spawnOptions.cwd ?? cwd));
      processes.push(started);
      return started;
    },
    async resolvePath(path) {
      return absolute(path);
    },
    async readFile(path, readOptions = {}) {
      enter(readOptions.signal);
      return files.read(absolute(path), readOptions);
    },
    async writeFile(path, bytes, writeOptions = {}) {
      enter(writeOptions.signal);
      files.write(absolute(path), toBytes(bytes), writeOptions);
    },
    async stat(path, fileOptions = {}) {
      enter(fileOptions.signal);
      return files.stat(absolute(path));
    },
    async list(path, fileOptions = {}) {
      enter(fileOptions.signal);
      return files.list(absolute(path));
    },
    async makeDirectory(path, fileOptions = {}) {
      enter(fileOptions.signal);
      return files.makeFolder(absolute(path));
    },
    async remove(path, fileOptions = {}) {
      enter(fileOptions.signal);
      return files.remove(absolute(path));
    },
    async move(from, to, fileOptions = {}) {
      enter(fileOptions.signal);
      files.move(absolute(from), absolute(to));
    },
    async upload(hostPath, path, transferOptions = {}) {
      enter(transferOptions.signal);
      return await uploadTo(files, hostPath, absolute(path));
    },
    async download(path, hostPath, transferOptions = {}) {
      enter(transferOptions.signal);
      return await downloadFrom(files, absolute(path), hostPath);
    },
    async openRead(path, fileOptions = {}) {
      enter(fileOptions.signal);
      return Readable.from([files.read(absolute(path), {}).bytes]);
    },
    async ping() {
      return !isDisposed;
    },
    async killAll() {
      for (const started of processes) started.end(143);
    },
    async [Symbol.asyncDispose]() {
      for (const started of processes) started.end(143);
      isDisposed = true;
    },
  };
  return sandbox;
}

function nextReply(
  script: readonly FakeReply[] | undefined,
  callCount: number,
  command: FakeCall['command'],
): FakeReply {
  if (script === undefined) return {};
  const given = script[callCount - 1];
  if (given !== undefined) return given;
  throw new SandboxError(`The fake sandbox has no reply for call ${callCount}: ${JSON.stringify(command)}`, {
    code: 'sandbox.failed',
    backend: 'local',
    phase: 'exec',
    started: false,
    hint: 'Add a reply to the `run` option of createFakeSandbox.',
  });
}

function toResult(given: FakeReply, options: RunOptions, cwd: string): RunResult {
  const { kind = 'exited', output = '', stderr = '', exitCode = 0, truncatedBytes = 0 } = given;
  const outputBytes = toBytes(output);
  const known = {
    output: Buffer.from(outputBytes).toString(),
    outputBytes,
    stderr,
    truncatedBytes,
    durationMs: 0,
    cwd,
  };
  if (kind === 'exited') return { kind, exitCode, ...known };
  if (kind === 'interrupted') return { kind, ...known };
  return { kind, timeoutMs: options.timeoutMs ?? 120_000, ...known };
}

async function uploadTo(files: MemoryFiles, hostPath: string, path: string): Promise<TransferResult> {
  if (!(await stat(hostPath)).isDirectory()) {
    const bytes = await readFile(hostPath);
    files.write(path, bytes, {});
    return { files: 1, bytes: bytes.length, skipped: [] };
  }
  files.makeFolder(path);
  const total = { files: 0, bytes: 0 };
  for (const name of await readdir(hostPath)) {
    const part = await uploadTo(files, join(hostPath, name), posix.join(path, name));
    total.files += part.files;
    total.bytes += part.bytes;
  }
  return { ...total, skipped: [] };
}

async function downloadFrom(files: MemoryFiles, path: string, hostPath: string): Promise<TransferResult> {
  if (files.stat(path)?.kind !== 'directory') {
    const { bytes } = files.read(path, {});
    await makeFolder(dirname(hostPath));
    await writeFile(hostPath, bytes);
    return { files: 1, bytes: bytes.length, skipped: [] };
  }
  await makeFolder(hostPath);
  const total = { files: 0, bytes: 0 };
  for (const { name } of files.list(path)) {
    const part = await downloadFrom(files, posix.join(path, name), join(hostPath, name));
    total.files += part.files;
    total.bytes += part.bytes;
  }
  return { ...total, skipped: [] };
}

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : content;
}

function closedError(): SandboxError {
  return new SandboxError('The fake sandbox is closed', {
    code: 'sandbox.closed',
    backend: 'local',
    phase: 'exec',
    started: false,
    hint: 'Use it before it is disposed of.',
  });
}
