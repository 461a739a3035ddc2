import type { Readable, Writable } from 'node:stream';

/** What separates a sandbox of a double from the machine. */
export type RootIsolation =
  /** Its own file system and process table: it sees neither the host's files nor other sandboxes. */
  | 'namespace'
  /** A folder of its own, which commands find in HOME and TMPDIR; nothing else is separate. */
  | 'folder';

/** Options of {@link openSandboxRoot}. */
export interface SandboxRootOptions {
  /** Folders to make, absolute inside. `/root` and `/tmp` are always there. @default none */
  readonly folders?: readonly string[] | undefined;
  /** Loopback is all that is left where this is false; means nothing in a plain folder. @default true */
  readonly allowNetwork?: boolean | undefined;
  /** The root whose files the new one starts with. @default only what a system needs */
  readonly copyOf?: string | undefined;
  /** Take this kind. @default namespaces where the machine lets us, else a folder */
  readonly isolation?: RootIsolation | undefined;
}

/** Options of {@link SandboxRoot.spawn}. */
export interface RootSpawnOptions {
  /** Absolute folder inside; it must exist. @default `/` */
  readonly cwd?: string | undefined;
  /** All the variables the program gets, beside `PWD`. */
  readonly env: Readonly<Record<string, string>>;
  /** Let standard error flow into standard output. @default false */
  readonly mergeStderr?: boolean | undefined;
}

/** Descriptors of standard input, output and error. */
export type StreamDescriptors = readonly [stdin: number, stdout: number, stderr: number];

/** A program that runs inside a root, the leader of a session and a group of its own. */
export interface RootProgram {
  /** Its number as programs inside see it. */
  readonly pid: number;
  /** Resolves with the exit code, 128 + n after signal n, as soon as it ended; its output may still be open. */
  readonly exited: Promise<number>;
  /** Signals its group; one that is gone is no error. */
  signal(name: NodeJS.Signals): Promise<void>;
}

/** A program with its streams. What it writes is kept until somebody reads it, even when it has ended. */
export interface RootProcess extends RootProgram {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** A file system and its processes: what a double runs one sandbox in. Disposing ends the processes, then removes the files. */
export interface SandboxRoot extends AsyncDisposable {
  readonly isolation: RootIsolation;
  /** Host folder that holds the files. */
  readonly folder: string;
  readonly isRunning: boolean;
  /** What a path inside is called by commands: itself, or with a plain folder the place below that folder. */
  placeOf(path: string): string;
  /**
   * Path for `node:fs` of a path that commands use. Links are followed inside the root; it never leads out of it.
   * The last name may be a link still where `isLink`.
   */
  resolve(path: string, options?: { readonly isLink?: boolean | undefined }): Promise<string>;
  /** Starts a program. Rejects where `cwd` is no folder or the root is stopped; a missing program exits with 127. */
  spawn(words: readonly string[], options: RootSpawnOptions): Promise<RootProcess>;
  /** As `spawn`, with open descriptors as its streams; they stay the caller's. */
  spawnOn(descriptors: StreamDescriptors, words: readonly string[], options: RootSpawnOptions): Promise<RootProgram>;
  /** Ends every process at once and keeps the files. */
  stop(): Promise<void>;
  /** Goes on after `stop`, with the files as they were left. */
  start(): Promise<void>;
}
