import type { Readable, Writable } from 'node:stream';
import type { OutputGap } from '../output-gap.ts';
import type { BackendKind } from '../sandbox.ts';
import type { FileCarrier } from './file-carrier.ts';

/** What a transport is to start inside its sandbox. */
export interface TransportRequest {
  /** Program and arguments. Secrets must not be among them: every process inside can read them. */
  readonly words: readonly string[];
  /** Give it an input; else its input is empty. @default false */
  readonly hasStdin?: boolean | undefined;
  /** Give it a terminal of 30 rows and 120 columns; standard error then comes with the output. @default false */
  readonly pty?: boolean | undefined;
  /** Files of Talaria's own, mode 0600, that must be there before it starts; only where `carriesFiles`. @default none */
  readonly files?: readonly CarriedFile[] | undefined;
  /** Standard error comes with the output anyway, and need not be taken apart. @default false */
  readonly mergesStderr?: boolean | undefined;
  /** A transport that fetches output may leave out what is not wanted, see {@link TransportProcess.gaps}. @default all */
  readonly wanted?: WantedOutput | undefined;
  /** It ends or checks something: where processes are limited, it gets a place that is kept for that. @default false */
  readonly isUrgent?: boolean | undefined;
  /** Stops the start only. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called when it may run from now on, by a transport that after this ends nothing where the start is aborted: whoever
   * wants it ended must know it by a mark, see `startSurely`.
   */
  readonly onStart?: (() => void) | undefined;
}

/** Which bytes of an output matter. */
export interface WantedOutput {
  /** `ends`: in the end, the first 40 % and the last 60 % of `maxBytes`; `latest`: at any time, the last `maxBytes`. */
  readonly kind: 'ends' | 'latest';
  readonly maxBytes: number;
}

/** A small file that travels with a request. */
export interface CarriedFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** A process inside a sandbox, seen from outside. */
export interface TransportProcess {
  /** Ending it gives the process the end of its input; output that comes later still arrives. */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  /** What is missing of that, see `hearOutput`. @default nothing */
  readonly gaps?: readonly OutputGap[] | undefined;
  /** `null` where it comes with the output. */
  readonly stderr: Readable | null;
  /** What is missing of that. @default nothing */
  readonly stderrGaps?: readonly OutputGap[] | undefined;
  /**
   * Exit code, 128 + n for signal n. `null` where the connection was lost, so that nobody knows. Never rejects; whatever
   * still holds its streams, it resolves when the process has ended.
   */
  readonly exited: Promise<number | null>;
  /**
   * Reads and drops what it writes from now on. Only where output that nobody takes holds up the end of other processes:
   * called before it is ended.
   */
  discardOutput?(): void;
  /** Lets go of it: closes the streams on this side. Ends nothing inside the sandbox. */
  close(): void;
}

/**
 * The one thing that a remote backend must be able to do: start a process in an open sandbox. Commands, files and the
 * killer are all made of that. Several are started at the same time.
 */
export interface SandboxTransport {
  readonly kind: BackendKind;
  /**
   * Whether input and output flow so fast that a launcher which stands ready is worth it. Where they do not, every command
   * is a process of its own, and its input stands in a file before it starts.
   */
  readonly isInteractive: boolean;
  /**
   * Starts a process in `/`, with what the sandbox was created with as its environment.
   * @throws SandboxError `sandbox.failed` with `started: false` where nothing was started; `sandbox.lost` where the sandbox
   * is gone; `sandbox.missing-program` where the first word names no program
   */
  start(request: TransportRequest): Promise<TransportProcess>;
  /** Whether {@link TransportRequest.pty} can be asked for. */
  readonly hasPty: boolean;
  /** Whether {@link TransportRequest.files} may be used. @default false */
  readonly carriesFiles?: boolean | undefined;
  /** Puts a small file of Talaria's own into the state folder, mode 0600, where that is faster than a process. */
  putFile?(path: string, content: string | Uint8Array, signal: AbortSignal): Promise<void>;
  /**
   * Folder in memory that belongs to the sandbox alone. Where it can be written to, the state folder stands there, since
   * that holds all variables, and what is saved of the sandbox is to hold none. @default where temporary files are
   */
  readonly memoryFolder?: string | undefined;
  /** Carries large files where that is faster than by a process. @default none */
  readonly fileCarrier?: FileCarrier | undefined;
  /** Lets some more processes be started than the sandbox's own limit allows, until what it gives is disposed of. */
  makeRoom?(): Promise<AsyncDisposable>;
  /** Ends every process of the sandbox from outside, where that cannot be done from inside. Its files stay. */
  endEverything?(): Promise<void>;
  /** Asks whoever runs the sandbox whether it still lives. Never throws. */
  isAlive(signal?: AbortSignal): Promise<boolean>;
}
