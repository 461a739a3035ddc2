import { TaskError } from '@talaria/core';
import { endWithError } from './end-with-error.ts';
import type { Host } from './host.ts';

/** Watches over a program until it is done. */
export interface EndGuard {
  /** Ends the process now, on purpose. */
  readonly exitNow: (exitCode: number) => void;
  /** To be called once the program is done. */
  release(): void;
}

/**
 * Tells the two ends of a process that nobody asked for, which are otherwise silent: code that was loaded calls
 * `process.exit`, or waits for a promise that nothing can settle any more, so that nothing keeps the process alive.
 */
export function guardEnd(host: Host): EndGuard {
  let stuckCount = 0;

  function hearEmptyLoop(): void {
    stuckCount += 1;
    const error = new TaskError('The environment waits for something that can never happen', {
      code: 'task.never-settles',
      hint: 'A promise in its code is neither resolved nor rejected, and nothing else is left to do.',
    });
    // As an error that nobody caught: who listens for those cuts the run off and cleans up.
    if (stuckCount === 1 && process.listenerCount('uncaughtException') > 0) throw error;
    release();
    process.exit(endWithError(host, error));
  }

  function hearExit(exitCode: number): void {
    const error = new TaskError('The process was ended before the program was done', {
      code: 'task.ended-process',
      hint: 'Code that was loaded calls process.exit; throw an error instead.',
    });
    const ownCode = endWithError(host, error);
    if (exitCode === 0) process.exitCode = ownCode;
  }

  function release(): void {
    process.off('beforeExit', hearEmptyLoop);
    process.off('exit', hearExit);
  }

  process.on('beforeExit', hearEmptyLoop);
  process.on('exit', hearExit);
  return {
    release,
    exitNow(exitCode) {
      release();
      host.exitNow(exitCode);
    },
  };
}
