/** What is known of an exec. */
export interface ExecFacts {
  /** Number of its process there: 0 until it has started and where it could not be; `null` where it is not told any more. */
  readonly pid: number | null;
  /** `null` until it has ended. */
  readonly exitCode: number | null;
}

/** What an engine answers with when it is asked about an exec. */
export interface ExecAnswer {
  readonly Running: boolean;
  readonly Pid: number;
  /** Docker tells `null`, and Podman 0, until it has ended. */
  readonly ExitCode: number | null;
  /** Podman tells by it that it has ended; Docker never sets it. */
  readonly CanRemove: boolean;
}

/**
 * Reads such an answer. Docker keeps the number of a process that has ended; Podman sets it to 0 when it writes the exit code
 * down, and what it tells before that (not running, 0) means nothing: so it answers before the start, and for a moment
 * where the size of a terminal was to be set whose process had ended.
 */
export function readExecFacts({ Running, Pid, ExitCode, CanRemove }: ExecAnswer): ExecFacts {
  if (Running) return { pid: Pid, exitCode: null };
  if (CanRemove) return Pid > 0 ? { pid: Pid, exitCode: null } : { pid: null, exitCode: ExitCode };
  return { pid: Pid, exitCode: Pid === 0 && ExitCode === 0 ? null : ExitCode };
}
