import { PassThrough } from 'node:stream';
import type { TransportProcess } from '../src/remote/transport.ts';

/** A process that a test speaks for. */
export interface SilentProcess extends TransportProcess {
  readonly stdout: PassThrough;
  /** Whether it was let go of. */
  readonly isClosed: () => boolean;
  readonly exit: (exitCode: number) => void;
}

/** Makes one that says something, and then nothing. */
export function createSilentProcess(opening = ''): SilentProcess {
  const exit = Promise.withResolvers<number | null>();
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  stdout.write(opening);
  stdin.resume();
  let isClosed = false;
  return {
    stdin,
    stdout,
    stderr: null,
    exited: exit.promise,
    exit: exit.resolve,
    isClosed: () => isClosed,
    close() {
      isClosed = true;
      stdin.destroy();
      stdout.destroy();
    },
  };
}
