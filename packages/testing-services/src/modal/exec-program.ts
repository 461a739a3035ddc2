import type { OutputSpool } from './output-spool.ts';

/** How a program ended, as it is told on the wire. */
export type ExecEnd = { readonly code: number } | { readonly signal: number };

/** What runs behind an exec: a process, or the file tools that the service brings itself. */
export interface ExecProgram {
  /** Takes bytes, and resolves when there is room for more. Rejects where nobody reads any more. */
  write(data: Uint8Array): Promise<void>;
  /** Closes its standard input. */
  endInput(): void;
  readonly ended: Promise<ExecEnd>;
  /** Kills its group. */
  kill(): Promise<void>;
  /** Lets go of its streams. */
  release(): void;
  /** Goes on reading its output, where that was stopped because nobody took it. */
  resume(): void;
}

/** Where a program's output goes; `null` drops it. */
export interface ExecOutput {
  readonly stdout: OutputSpool | null;
  readonly stderr: OutputSpool | null;
}
