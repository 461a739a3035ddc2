import { PassThrough, type Readable } from 'node:stream';
import type { SandboxTransport, TransportProcess } from '../src/remote/transport.ts';

/** A transport that tells of each step: a start that is asked for, one that is done, a piece of output, an end. */
export interface SteppingTransport extends SandboxTransport {
  /** Calls a function at the step with this number from now on; counts from 1. */
  arm(count: number, fire: () => void): void;
  /** How many steps were taken since. */
  stepCount(): number;
}

/** Makes one of another transport. */
export function createSteppingTransport(inner: SandboxTransport): SteppingTransport {
  let taken = 0;
  let awaited = 0;
  let fire = (): void => undefined;
  function step(): void {
    taken += 1;
    if (taken === awaited) fire();
  }

  function watch(stream: Readable): Readable {
    const seen = new PassThrough();
    stream.once('error', (error) => seen.destroy(error)).once('close', () => stream.readableEnded || seen.destroy());
    seen.once('close', () => stream.destroy());
    stream.on('data', step);
    return stream.pipe(seen);
  }

  function watchProcess(started: TransportProcess): TransportProcess {
    const stdout = watch(started.stdout);
    const stderr = started.stderr === null ? null : watch(started.stderr);
    const exited = started.exited.then((exitCode) => {
      step();
      return exitCode;
    });
    return {
      ...started,
      stdout,
      stderr,
      exited,
      close() {
        started.close();
        stdout.destroy();
        stderr?.destroy();
      },
    };
  }

  return {
    ...inner,
    async start(request) {
      step();
      const started = await inner.start(request);
      step();
      return watchProcess(started);
    },
    arm(count, callback) {
      taken = 0;
      awaited = count;
      fire = callback;
    },
    stepCount: () => taken,
  };
}
