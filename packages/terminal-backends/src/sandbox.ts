import type { Readable } from 'node:stream';

/** The six kinds of backend. */
export type BackendKind = 'local' | 'docker' | 'ssh' | 'modal' | 'singularity' | 'daytona';

/** What a backend can do, as data: checked against a task before anything starts. */
export interface SandboxCapabilities {
  /** What stands between a command and the machine that runs Talaria. */
  readonly isolation: 'none' | 'container' | 'vm';
  /** Whether exported variables, functions and the working folder survive from one `run` to the next. */
  readonly keepsShellState: boolean;
  readonly stdin: boolean;
  readonly pty: boolean;
  readonly network: 'controllable' | 'fixed';
  readonly snapshot: boolean;
  readonly resourceLimits: boolean;
  /** Whether an item's `image` means anything here. */
  readonly images: boolean;
}

/** Options of {@link SandboxHandle.run}. */
export interface RunOptions {
  /**
   * Folder for this command only: absolute, or starting with `~`. It must exist.
   * @default the tracked working folder
   */
  readonly cwd?: string | undefined;
  /** Wall clock until the whole process tree is killed. @default the sandbox's `defaultTimeoutMs` */
  readonly timeoutMs?: number | undefined;
  /** @default nothing: standard input is `/dev/null` */
  readonly stdin?: string | Uint8Array | undefined;
  /** Variables for this command only; they are not kept. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Most bytes of output kept (first 40 %, last 60 %); the rest is read, counted and dropped. @default 10_485_760 */
  readonly maxOutputBytes?: number | undefined;
  /** Put standard error into `output` where it happened, rather than apart. @default true */
  readonly mergeStderr?: boolean | undefined;
  /**
   * Neither read nor change the shell state that survives between calls; such calls run beside others, at most eight
   * at once. @default false
   */
  readonly isStateless?: boolean | undefined;
  /** Hears each piece of output as it arrives, before any limit. */
  readonly onOutput?: ((chunk: Uint8Array) => void) | undefined;
  /**
   * Stops the command: the whole process tree is dead when the call returns `interrupted`. Aborted before the command
   * was started, also while it waited for its turn, the call rejects with the signal's reason.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Fields of every outcome of a command. */
export interface RunOutput {
  /** Decoded as UTF-8, with U+FFFD for what is none. Exact bytes: {@link RunOutput.outputBytes}. */
  readonly output: string;
  readonly outputBytes: Uint8Array;
  /** Standard error, where it was not merged; else `''`. */
  readonly stderr: string;
  /** Bytes that were produced but not kept; 0 where all were. */
  readonly truncatedBytes: number;
  readonly durationMs: number;
  /** The tracked working folder after the command. */
  readonly cwd: string;
}

/** Outcome of a command. A failure of the backend itself is a `SandboxError`, never an outcome. */
export type RunResult =
  | (RunOutput & {
      readonly kind: 'exited';
      /** 0 to 255; 128 + n where signal n killed it. */
      readonly exitCode: number;
    })
  | (RunOutput & { readonly kind: 'timed-out'; readonly timeoutMs: number })
  | (RunOutput & { readonly kind: 'interrupted' });

/** Options of {@link SandboxHandle.spawn}. */
export interface SpawnOptions {
  /** @default the tracked working folder */
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Give it a terminal, where the backend can. @default false */
  readonly pty?: boolean | undefined;
  /** Stops the start only; a started process is ended by `kill` or with its sandbox. */
  readonly signal?: AbortSignal | undefined;
}

/** How a background process ended. */
export interface ProcessExit {
  /** 128 + n where signal n killed it. */
  readonly exitCode: number;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
}

/** A piece of a background process's output. */
export interface ProcessOutput {
  readonly bytes: Uint8Array;
  /** Offset of the first of these bytes in everything the process wrote. */
  readonly offset: number;
  /** Bytes written so far in all. */
  readonly totalBytes: number;
  /** Bytes between the asked-for offset and `offset` that are no longer kept. */
  readonly droppedBytes: number;
}

/** A process that runs on beside the conversation. It reads the shell state when it starts and never changes it. */
export interface SandboxProcess {
  /** `proc_` + 12 hex digits. */
  readonly id: string;
  /** Number of the session leader inside the sandbox, where the backend knows it. */
  readonly pid: number | null;
  readonly command: string;
  readonly cwd: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** How it ended; `null` while it runs. */
  readonly exit: ProcessExit | null;
  /** Output from a byte offset on, standard error merged; at most `maxBytes`. */
  readOutput(
    offset: number,
    options?: { maxBytes?: number | undefined; signal?: AbortSignal | undefined },
  ): Promise<ProcessOutput>;
  /** Waits until it ends, or `timeoutMs` have passed (then `null`). Rejects with the signal's reason. */
  wait(options?: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined }): Promise<ProcessExit | null>;
  /** Writes to its standard input and waits until the system took it. @throws SandboxError `sandbox.stdin-closed` */
  write(bytes: string | Uint8Array, options?: { signal?: AbortSignal | undefined }): Promise<void>;
  closeStdin(): Promise<void>;
  /** Ends it and everything that it started: SIGTERM, a grace time, SIGKILL. Does nothing to one that ended. */
  kill(options?: { graceMs?: number | undefined; signal?: AbortSignal | undefined }): Promise<ProcessExit>;
}

/** Kind of a directory entry. */
export type FileKind = 'file' | 'directory' | 'symlink' | 'other';

/** What is known about a path. */
export interface FileStat {
  readonly kind: FileKind;
  readonly sizeBytes: number;
  /** Permission bits, for example `0o644`. */
  readonly mode: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
  /** Where a symbolic link points, as it is written. */
  readonly linkTarget?: string | undefined;
}

/** One entry of a folder. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** Bytes of a file. */
export interface FileContent {
  readonly bytes: Uint8Array;
  /** Size of the whole file. */
  readonly sizeBytes: number;
  /** Whether bytes after the last returned one exist. */
  readonly isTruncated: boolean;
}

/** Options that every file operation takes. Paths are absolute, start with `~`, or are relative to the tracked folder. */
export interface FileOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link SandboxHandle.readFile}. */
export interface ReadFileOptions extends FileOptions {
  /** First byte. @default 0 */
  readonly offset?: number | undefined;
  /** @default 104_857_600 */
  readonly maxBytes?: number | undefined;
}

/** Options of {@link SandboxHandle.writeFile}. */
export interface WriteFileOptions extends FileOptions {
  /** Permission bits. @default those of the file that is replaced, else 0o644 */
  readonly mode?: number | undefined;
  /** Fail with `sandbox.exists` rather than replace. @default false */
  readonly isExclusive?: boolean | undefined;
}

/** Options of {@link SandboxHandle.upload} and {@link SandboxHandle.download}. */
export interface TransferOptions extends FileOptions {
  /** Compare SHA-256 sums afterwards; sizes are always compared. @default false */
  readonly verifyHash?: boolean | undefined;
  /**
   * What to do with symbolic links: keep them as links, copy what they point to, or leave them out. One that points
   * outside the tree is never followed nor recreated. @default 'preserve'
   */
  readonly symlinks?: 'preserve' | 'follow' | 'skip' | undefined;
  /** Most bytes in all. @default 10_737_418_240 */
  readonly maxBytes?: number | undefined;
  /** Most files in all. @default 100_000 */
  readonly maxFiles?: number | undefined;
}

/** What a transfer moved. Modes and modification times are kept; owners are not. */
export interface TransferResult {
  readonly files: number;
  readonly bytes: number;
  /** SHA-256 in lower-case hex of a single file, where `verifyHash` was asked for. */
  readonly sha256?: string | undefined;
  /** What was left out: links, pipes and devices, names that are not UTF-8, and what was removed meanwhile. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * What tools and reward functions get: they can use the sandbox, not close it.
 *
 * Every file error is a `SandboxError` of phase `transfer` with one of the codes `sandbox.not-found`,
 * `sandbox.is-directory`, `sandbox.not-directory`, `sandbox.permission`, `sandbox.no-space`, `sandbox.too-large`,
 * `sandbox.exists`, `sandbox.integrity`, `sandbox.timeout`, `sandbox.lost`, `sandbox.unsafe-path`, `sandbox.failed`.
 * Limits that are no natural numbers are refused with ConfigError `config.invalid`; `Infinity` is no limit.
 * Commands reject with `sandbox.invalid-command`, `sandbox.command-too-long` or `sandbox.failed` where nothing was
 * started, and with `sandbox.lost`; every call on a sandbox that was disposed of with `sandbox.closed`.
 */
export interface SandboxHandle {
  readonly id: string;
  readonly kind: BackendKind;
  readonly capabilities: SandboxCapabilities;
  /** Home folder of the sandbox's user: what `~` means. */
  readonly home: string;
  /** Folder for temporary files inside the sandbox. */
  readonly temporaryFolder: string;
  /** The tracked working folder: where the next `run` starts, as the last one left it. */
  readonly cwd: string;
  /** Runs a bash script to its end. Calls run one after another, in order, unless `isStateless`. */
  run(command: string, options?: RunOptions): Promise<RunResult>;
  /** Runs a program with exact arguments, without a shell, stateless. */
  runProgram(words: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Starts a background process. */
  spawn(command: string, options?: SpawnOptions): Promise<SandboxProcess>;
  /** Makes a path absolute: `~`, `~user` and relative paths resolved in the sandbox. Links are not resolved. */
  resolvePath(path: string): Promise<string>;
  readFile(path: string, options?: ReadFileOptions): Promise<FileContent>;
  /** Replaces a file at once (temporary name, then rename); parents are made; a link is followed to its target. */
  writeFile(path: string, bytes: string | Uint8Array, options?: WriteFileOptions): Promise<void>;
  /** `null` where nothing is there. Links are followed unless `isLink`. */
  stat(path: string, options?: FileOptions & { readonly isLink?: boolean | undefined }): Promise<FileStat | null>;
  /** Entries in the order of their names. */
  list(path: string, options?: FileOptions): Promise<readonly DirectoryEntry[]>;
  /** Makes a folder and its parents; says whether anything was made. */
  makeDirectory(path: string, options?: FileOptions): Promise<boolean>;
  /** Removes a file, link or whole folder; says whether there was one. */
  remove(path: string, options?: FileOptions): Promise<boolean>;
  /** Renames within one file system; replaces a file that is in the way. */
  move(from: string, to: string, options?: FileOptions): Promise<void>;
  /** Copies a file or a folder of the host into the sandbox, streaming. */
  upload(hostPath: string, path: string, options?: TransferOptions): Promise<TransferResult>;
  /** Copies a file or a folder of the sandbox to the host, streaming. */
  download(path: string, hostPath: string, options?: TransferOptions): Promise<TransferResult>;
  /** Reads a file as a stream, whatever its size. */
  openRead(path: string, options?: FileOptions): Promise<Readable>;
  /** Whether it still answers. Never throws. */
  ping(options?: FileOptions): Promise<boolean>;
  /** Saves the file system, where `capabilities.snapshot`. */
  snapshot?(options?: FileOptions): Promise<string>;
}

/** A sandbox and the right to end it. Disposing is idempotent, bounded in time and ends everything started in it. */
export interface Sandbox extends SandboxHandle, AsyncDisposable {
  /** Ends every process that was started in it; the sandbox stays usable. */
  killAll(): Promise<void>;
}
