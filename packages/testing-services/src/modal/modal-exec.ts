import { CallError } from './call-error.ts';
import type { ExecEnd, ExecProgram } from './exec-program.ts';
import type { OutputSpool } from './output-spool.ts';

/** A command in a sandbox as the router knows it. */
export interface ModalExec extends Disposable {
  readonly id: string;
  readonly stdout: OutputSpool;
  readonly stderr: OutputSpool;
  readonly ended: Promise<ExecEnd>;
  /** `undefined` while it runs. */
  readonly end: ExecEnd | undefined;
  /** Bytes of standard input that the program has taken, and whether it is closed. */
  readonly input: { readonly bytesWritten: number; readonly isClosed: boolean };
  /**
   * Takes bytes that begin at `offset`; those that came before, with a call that was repeated, are left out. Resolves
   * when the program has taken them. One write at a time, in the order of the calls.
   */
  write(offset: number, data: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Closes standard input after what was written. */
  closeInput(): Promise<void>;
  /** Drops a stream of writes that is under way, after the part that is being written. */
  evictWriters(): Promise<void>;
  kill(): Promise<void>;
}

/** Part of a write that is given to the program at once, so that a status call never waits for long. */
const partBytes = 64 * 1024;

/** Puts the wire's idea of standard input over a program. */
export function createModalExec(
  id: string,
  program: ExecProgram,
  output: { readonly stdout: OutputSpool; readonly stderr: OutputSpool },
): ModalExec {
  let end: ExecEnd | undefined;
  let bytesWritten = 0;
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();
  let evictions = 0;
  const ended = program.ended.then((result) => {
    end = result;
    return result;
  });

  /** One after another; a failure is the caller's alone. */
  function enqueue<Result>(action: () => Promise<Result>): Promise<Result> {
    const result = last.then(action);
    last = result.catch(() => undefined);
    return result;
  }

  async function writePart(part: Uint8Array): Promise<void> {
    const outcome = await Promise.race([
      program.write(part).then(
        () => 'taken',
        () => 'refused',
      ),
      ended.then(() => 'ended'),
    ]);
    if (outcome !== 'taken') throw new CallError('FAILED_PRECONDITION', `Nothing reads standard input of exec ${id}`);
    bytesWritten += part.length;
  }

  async function write(offset: number, data: Uint8Array, signal: AbortSignal, round: number): Promise<void> {
    const fresh = data.subarray(Math.min(Math.max(bytesWritten - offset, 0), data.length));
    if (offset > bytesWritten) {
      throw new CallError('INVALID_ARGUMENT', `Standard input of exec ${id} stands at ${bytesWritten}, not ${offset}`);
    }
    if (fresh.length > 0 && (isClosed || end)) {
      throw new CallError('FAILED_PRECONDITION', `Standard input of exec ${id} is closed`);
    }
    for (let start = 0; start < fresh.length; start += partBytes) {
      if (signal.aborted || round !== evictions) throw new CallError('ABORTED', 'Another writer came');
      await writePart(fresh.subarray(start, start + partBytes));
    }
  }

  return {
    id,
    ...output,
    ended,
    get end() {
      return end;
    },
    get input() {
      return { bytesWritten, isClosed: isClosed || end !== undefined };
    },
    write(offset, data, signal) {
      const round = evictions;
      return enqueue(() => write(offset, data, signal, round));
    },
    closeInput() {
      return enqueue(async () => {
        if (!isClosed) program.endInput();
        isClosed = true;
      });
    },
    async evictWriters() {
      evictions += 1;
      await Promise.race([last, ended]);
    },
    kill: () => program.kill(),
    [Symbol.dispose]() {
      program.release();
      output.stdout[Symbol.dispose]();
      output.stderr[Symbol.dispose]();
    },
  };
}
