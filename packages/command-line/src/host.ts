import type { Clock } from '@talaria/core';

/** Where text goes: a terminal, a pipe or a file. */
export interface OutputStream {
  /** Takes text. Once the reader has gone away, text is dropped without an error. */
  write(text: string): void;
  /** Whether a person looks at it. */
  readonly isTerminal: boolean;
  /** Width in characters; 80 where it is no terminal. */
  readonly columns: number;
  /** Waits until what was written has gone out, so that text does not pile up; false once the reader has gone away. */
  flush(): Promise<boolean>;
}

/** Where text comes from: a terminal, a pipe or a file. */
export interface InputStream {
  /** Whether a person types it. */
  readonly isTerminal: boolean;
  /** The bytes as they arrive. Ending early, and an abort, let go of the stream; it is read once. */
  read(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<Uint8Array>;
}

/** Signals that ask a program to stop. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/**
 * The machine as a program sees it. Programs here are functions over one, so that they run inside a test as they run in
 * a terminal. `createNodeHost` is the real one.
 */
export interface Host {
  /** How the program is called, as a user would type it: `talaria`, `npm run talaria --`, or `node my-env.ts`. */
  readonly programName: string;
  /** Arguments after the program's own name. */
  readonly argv: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Absolute. Relative paths of arguments start here. */
  readonly cwd: string;
  /** The user's home folder, absolute. */
  readonly homeFolder: string;
  /** Version of Node that runs the program, without the `v`. */
  readonly nodeVersion: string;
  /** What a program is given to read. */
  readonly stdin: InputStream;
  /** Results. */
  readonly stdout: OutputStream;
  /** Progress, notices and errors. */
  readonly stderr: OutputStream;
  readonly clock: Clock;
  /** Hears each signal that asks to stop, in place of the system's default action; returns how to stop hearing. */
  onStopSignal(handler: (signal: StopSignal) => void): () => void;
  /** Hears of errors that nothing caught, in place of the end of the program; returns how to stop hearing. */
  onUncaughtError(handler: (error: unknown) => void): () => void;
  /** Loads a module: a `file:` address, or a package name as seen from {@link Host.cwd}. */
  importModule(specifier: string): Promise<unknown>;
  /** Ends the program now, whatever still runs. Only for a user who asked three times. */
  exitNow(exitCode: number): void;
}
