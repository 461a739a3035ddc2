import type { Readable, Writable } from 'node:stream';
import type { BackendKind } from '../sandbox.ts';

/** What a transport is to start inside its sandbox. */
export interface TransportRequest {
  /** Program and arguments. Secrets must not be among them: every process inside can read them. */
  readonly words: readonly string[];
  /** Give it an input; else its input is empty. @default false */
  readonly hasStdin?: boolean | undefined;
  /** Give it a terminal of 30 rows and 120 columns; standard error then comes with the output. @default false */
  readonly pty?: boolean | undefined;
  /** It ends or checks something: where processes are limited, it gets a place that is kept for that. @default false */
  readonly isUrgent?: boolean | undefined;
  /** Stops the start only. */
  readonly signal?: AbortSignal | undefined;
}

/** A process inside a sandbox, seen from outside. */
export interface TransportProcess {
  /** Ending it gives the process the end of its input; output that comes later still arrives. */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  /** `null` where it comes with the output. */
  readonly stderr: Readable | null;
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
   * Whether input and output flow while a process runs. Where they do not, the input is complete before the start, and
   * the output comes when the process has ended: there is no command channel then.
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
  /** Puts a small file of Talaria's own into the state folder, mode 0600, where that is faster than a process. */
  putFile?(path: string, content: string | Uint8Array, signal: AbortSignal): Promise<void>;
  /** Asks whoever runs the sandbox whether it still lives. Never throws. */
  isAlive(signal?: AbortSignal): Promise<boolean>;
}
