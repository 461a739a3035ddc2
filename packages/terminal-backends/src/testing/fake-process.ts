import { raceAbort, SandboxError } from '@talaria/core';
import type { ProcessExit, SandboxProcess } from '../sandbox.ts';

/** A background process of a fake sandbox: the test plays its part. */
export interface FakeProcess extends SandboxProcess {
  /** Everything that was written to its standard input. */
  readonly input: string;
  readonly isStdinClosed: boolean;
  /** Writes to its output. */
  emit(text: string): void;
  /** Ends it. Does nothing to one that has ended. */
  end(exitCode: number): void;
}

/** Creates one that runs until the test or `kill` ends it. */
export function createFakeProcess(index: number, command: string, cwd: string): FakeProcess {
  const ended = Promise.withResolvers<ProcessExit>();
  let output = Buffer.alloc(0);
  let input = '';
  let isStdinClosed = false;
  let exit: ProcessExit | null = null;

  function end(exitCode: number): ProcessExit {
    exit ??= { exitCode, endedAt: startedAt + 1 };
    ended.resolve(exit);
    return exit;
  }

  const startedAt = 0;
  return {
    id: `proc_${index.toString(16).padStart(12, '0')}`,
    pid: 1_000 + index,
    command,
    cwd,
    startedAt,
    get exit() {
      return exit;
    },
    get input() {
      return input;
    },
    get isStdinClosed() {
      return isStdinClosed;
    },
    emit(text) {
      output = Buffer.concat([output, Buffer.from(text)]);
    },
    end(exitCode) {
      end(exitCode);
    },
    async readOutput(offset, options = {}) {
      options.signal?.throwIfAborted();
      const from = Math.min(offset, output.length);
      const bytes = output.subarray(from, from + (options.maxBytes ?? output.length));
      return { bytes, offset: from, totalBytes: output.length, droppedBytes: 0 };
    },
    async wait(options = {}) {
      if (exit !== null) return exit;
      // No time passes in a fake sandbox: a limited wait for a process that runs finds it running.
      return options.timeoutMs === undefined ? await raceAbort(ended.promise, options.signal) : null;
    },
    async write(bytes) {
      if (exit !== null || isStdinClosed) {
        throw new SandboxError(`The process ${command} takes no more input`, {
          code: 'sandbox.stdin-closed',
          backend: 'local',
          phase: 'exec',
          started: true,
          hint: 'Start the process again to give it input.',
        });
      }
      input += typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString();
    },
    async closeStdin() {
      isStdinClosed = true;
    },
    async kill() {
      return end(143);
    },
  };
}
