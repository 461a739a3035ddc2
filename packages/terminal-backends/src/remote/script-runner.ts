import type { TransportProcess } from './transport.ts';

/** Options of {@link ScriptRunner.run}. */
export interface ScriptOptions {
  /** Input of the script. @default none */
  readonly stdin?: string | Uint8Array | undefined;
  /** Most bytes of output; more is an error, never a silent cut. @default 16_777_216 */
  readonly maxOutputBytes?: number | undefined;
  /** After this time the script is ended with all that it started. @default 120_000 */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a script did. */
export interface ScriptResult {
  readonly exitCode: number;
  /** Exact bytes of the output, standard error merged: a script that succeeds writes nothing to that. */
  readonly output: Uint8Array;
}

/**
 * Runs small POSIX shell scripts of Talaria's own inside a sandbox, beside its commands and untouched by their state: in
 * `/`, under `LC_ALL=C`, with `PATH` and `HOME` of the sandbox. Values travel as arguments (`$1` …), never in the text.
 */
export interface ScriptRunner {
  /** Runs one to its end. @throws SandboxError `sandbox.lost`, `sandbox.timeout`, `sandbox.too-large`; the abort's reason */
  run(script: string, args: readonly string[], options?: ScriptOptions): Promise<ScriptResult>;
  /**
   * Starts one whose input and output are streams of any length. Whoever starts it reads both outputs to their end or
   * closes it. Where it is aborted after the start, the caller calls `end`.
   */
  start(
    script: string,
    args: readonly string[],
    options?: { readonly hasStdin?: boolean | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<StartedScript>;
}

/** A script that runs. */
export interface StartedScript extends TransportProcess {
  /** Ends it inside the sandbox with all that it started, and lets go of it. Never throws. */
  end(): Promise<void>;
}
